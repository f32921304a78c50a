"""A run of the published code: its predictions scored again, under any switches.

A reference run is a folder with, per data set, `predictions_DATASET.parquet` (repeat, fold, test_idx, y_true, model,
and p or mu and sigma) and what the published code made of them: `DATASET_metrics_by_fold.csv`,
`..._metric_values_by_repeat.csv`, `..._model_rankings_by_repeat.csv`, `..._kendall_by_repeat.csv` and
`..._pearson_by_repeat.csv`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

from uqalign.alignment import fold_mean
from uqalign.errors import UserError
from uqalign.families import Family, Theta, published_thetas, theta_id, theta_label
from uqalign.protocol.metrics import metrics_under
from uqalign.protocol.rankings import fold_mean_published, kendall_under
from uqalign.protocol.switches import expand
from uqalign.protocol.utilities import evaluate_utility, thetas_published
from uqalign.tasks import Task

if TYPE_CHECKING:
    import pandas as pd

METRIC_COLUMNS: Mapping[Task, Mapping[str, str]] = MappingProxyType(
    {
        "binary": {
            "nll": "NLL",
            "brier": "Brier",
            "accuracy": "Acc",
            "ece": "ECE",
            "mce": "MCE",
            "rauc": "R-AUC",
            "edet": "E-Det",
            "pwu_c": "BD-PWU",
            "pwu_k": "TopK-PWU",
        },
        "regression": {
            "nll": "NLL",
            "mse": "MSE",
            "ece": "ECE",
            "mce": "MCE",
            "rauc": "R-AUC",
            "edet": "E-Det",
            "pwu_lambda": "SP-PWU",
            "pwu_phi": "TopK-PWU",
        },
    }
)
"""Per task, the metrics of a reference run and their names in its tables."""

_UTILITY_PREFIX = {"binary_decision": "u_c", "top_k": "u_k", "selective": "u_lambda", "risk_averse_top_k": "u_k_gamma"}


def utility_column(family: Family, theta: Theta) -> str:
    """Name of a decision in the tables of a reference run, such as `u_k_gamma, k/n=0.04, gamma=0.05`."""
    return f"{_UTILITY_PREFIX[family.name]}, {theta_label(theta)}"


@dataclass(frozen=True)
class ReferenceRun:
    """The predictions of one data set of a reference run.

    Attributes:
        dataset: name in the file names.
        task: binary or regression.
        predictions: the file's rows.
    """

    dataset: str
    task: Task
    predictions: pd.DataFrame

    @classmethod
    def read(cls, folder: Path, dataset: str) -> ReferenceRun:
        """The run's predictions for `dataset`.

        Raises:
            UserError: no such file.
        """
        import pandas as pd

        path = folder / f"predictions_{dataset}.parquet"
        if not path.is_file():
            raise UserError(f"no reference predictions at {path}")
        frame = pd.read_parquet(path)
        return cls(dataset, "binary" if "p" in frame else "regression", frame)

    @cached_property
    def splits(self) -> list[tuple[int, int, str, Any, tuple[Any, ...]]]:
        """(repeat, fold, model, targets, prediction) of every fit."""
        found: list[tuple[int, int, str, Any, tuple[Any, ...]]] = []
        columns = ["p"] if self.task == "binary" else ["mu", "sigma"]
        for key, rows in self.predictions.groupby(["repeat", "fold", "model"], sort=True):
            repeat, fold, model = cast(tuple[int, int, str], key)
            values = rows[columns].to_numpy().T
            prediction = (values[0],) if self.task == "binary" else (values[0], values[1] ** 2)
            found.append((repeat, fold, model, rows["y_true"].to_numpy(), prediction))
        return found

    def thetas(self, switches: Iterable[str]) -> dict[Family, tuple[Theta, ...]]:
        """The five decisions per family."""
        drawn = published_thetas(self.task)
        return {f: thetas_published(t) for f, t in drawn.items()} if "theta_label" in expand(switches) else drawn

    def by_fold(self, switches: Iterable[str], *, metrics: Iterable[str] | None = None) -> pd.DataFrame:
        """Value of every metric and decision in every fold.

        Args:
            switches: ids, or "published" for all.
            metrics: names to restrict the metrics to.

        Returns:
            columns repeat, fold, model, kind (metric | utility), name, theta, value.
        """
        import pandas as pd

        on = expand(switches)
        wanted = METRIC_COLUMNS[self.task] if metrics is None else list(metrics)
        chosen = {name: metric for name, metric in metrics_under(self.task, on).items() if name in wanted}
        decisions = [(f, theta) for f, group in self.thetas(on).items() for theta in dict.fromkeys(group)]
        rows: list[tuple[Any, ...]] = []
        for repeat, fold, model, y, prediction in self.splits:
            key = (repeat, fold, model)
            rows += [(*key, "metric", name, "", metric.evaluate(y, prediction)) for name, metric in chosen.items()]
            rows += [
                (*key, "utility", f.name, theta_id(theta), evaluate_utility(f, y, prediction, theta, on))
                for f, theta in decisions
            ]
        return pd.DataFrame(rows, columns=["repeat", "fold", "model", "kind", "name", "theta", "value"])

    def by_repeat(self, folds: pd.DataFrame, switches: Iterable[str]) -> pd.DataFrame:
        """Fold means of `by_fold`: index (repeat, kind, name, theta), one column per model in alphabetical order."""
        mean = fold_mean_published if "nan_last" in expand(switches) else fold_mean
        grouped = folds.groupby(["repeat", "kind", "name", "theta", "model"], sort=True)["value"]
        return grouped.agg(lambda values: mean(values.to_numpy())).unstack("model")

    def taus(self, repeats: pd.DataFrame, switches: Iterable[str]) -> pd.DataFrame:
        """Kendall's tau of every metric with every decision.

        Returns:
            columns repeat, family, theta, metric, tau; a decision that stands for two occurs twice.
        """
        import pandas as pd

        on = expand(switches)
        rows = []
        for repeat, block in repeats.groupby(level="repeat"):
            values = {key[1:]: row for key, row in zip(block.index, block.to_numpy(), strict=True)}
            for name, metric in metrics_under(self.task, ()).items():
                if ("metric", name, "") not in values:
                    continue
                for family, thetas in self.thetas(on).items():
                    for theta in thetas:
                        tau = kendall_under(
                            values["metric", name, ""],
                            values["utility", family.name, theta_id(theta)],
                            on,
                            higher_is_better=metric.higher_is_better,
                        )
                        rows.append((repeat, family.name, theta_id(theta), name, tau))
        return pd.DataFrame(rows, columns=["repeat", "family", "theta", "metric", "tau"])
