"""`uqalign prior`: what a prior says, before a metric is reported under it."""

from __future__ import annotations

import json as json_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from uqalign.priors import Prior


def prior_command(
    prior: Annotated[
        str | None,
        typer.Argument(
            help="A prior: beta:2,10, uniform:0.1,0.5, lognormal:-2,0.5, gamma:2,8, pareto:1,0.01, "
            "point:0.5, or truncated beta:2,10@0.05..0.5. Leave it out to build one from --mode or --quantile."
        ),
    ] = None,
    mode: Annotated[
        float | None, typer.Option(help="Typical value in (0, 1) of a Beta prior; with --concentration.")
    ] = None,
    concentration: Annotated[
        float | None, typer.Option(help="Confidence in --mode, a + b > 2: 12 is diffuse, 100 is tight.")
    ] = None,
    quantile: Annotated[
        list[str] | None,
        typer.Option(help="LEVEL=VALUE, given twice: --quantile 0.05=0.03 --quantile 0.95=0.36."),
    ] = None,
    family: Annotated[str, typer.Option(help="Family for --quantile: beta, lognormal or gamma.")] = "beta",
    parameter: Annotated[
        str,
        typer.Option(help="What it is a prior over: c (cost), lambda (abstention), k (fraction) or gamma."),
    ] = "c",
    n_test: Annotated[
        int | None, typer.Option(min=1, help="Rows of the test set: with --parameter k, the rows it selects.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Write the density plot here (.svg, .png, .pdf, .html or .json).")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    """Read a prior back as decisions: quantiles, trivial decisions, sensitivity, selected rows."""
    from uqalign.errors import UserError
    from uqalign.priors import elicitation_report
    from uqalign.priors.plot import save_chart

    try:
        chosen = _chosen_prior(prior, mode, concentration, quantile, family)
        report = elicitation_report(chosen, parameter=parameter, n_test=n_test)  # type: ignore[arg-type]
        written = save_chart(report.chart(), plot) if plot is not None else None
    except (ValueError, OSError, ImportError) as error:
        raise UserError(str(error)) from error
    if json:
        print(json_module.dumps(report.to_dict(), indent=2, allow_nan=False))
        return

    from rich.console import Console
    from rich.text import Text

    from uqalign.priors.render import report_lines

    console = Console(highlight=False)
    for heading, lines in report_lines(report):
        warned = heading == "Warnings"
        console.print(Text(heading, style="bold yellow" if warned else "bold"))
        for line in lines:
            console.print(Text(f"  {line}", style="yellow" if warned else ""), soft_wrap=True)
        console.print()
    if written is not None:
        console.print(Text(f"wrote {written}"))


def _chosen_prior(
    prior: str | None,
    mode: float | None,
    concentration: float | None,
    quantile: list[str] | None,
    family: str,
) -> Prior:
    """The one prior the options describe.

    Raises:
        ValueError: none or several ways given, or values that make no prior.
    """
    from uqalign.priors import as_prior, beta_from_mode, prior_from_quantiles

    ways = [prior is not None, mode is not None or concentration is not None, bool(quantile)]
    if sum(ways) != 1:
        raise ValueError("give one of: a prior such as beta:2,10; --mode with --concentration; --quantile twice")
    if prior is not None:
        return as_prior(prior)
    if quantile:
        return prior_from_quantiles(family, _quantiles(quantile)).prior  # type: ignore[arg-type]
    if mode is None or concentration is None:
        raise ValueError("--mode and --concentration go together: --mode 0.1 --concentration 12")
    return beta_from_mode(mode, concentration)


def _quantiles(options: list[str]) -> dict[float, float]:
    pairs: dict[float, float] = {}
    for option in options:
        level, equals, value = option.partition("=")
        try:
            pairs[float(level)] = float(value)
        except ValueError:
            raise ValueError(f"--quantile {option!r}: write LEVEL=VALUE, such as 0.05=0.03") from None
        if not equals:
            raise ValueError(f"--quantile {option!r}: write LEVEL=VALUE, such as 0.05=0.03")
    return pairs
