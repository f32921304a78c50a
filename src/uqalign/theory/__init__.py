"""What is true of metrics and decisions, by execution: Table 1, errata, and a check for any metric.

`table_one()` evaluates every entry of Table 1 of Schneider et al. (2026): identities to rounding error, and for what is
not aligned a pair of predictions that every decision orders against the metric, in exact arithmetic. `errata()` runs
the demonstrations of what does not hold. `check_metric` searches for violations by a metric of your own.
"""

from uqalign.theory.check import check_metric
from uqalign.theory.counterexamples import Counterexample, examine
from uqalign.theory.errata import Erratum, errata
from uqalign.theory.exact import Comparison, compare
from uqalign.theory.render import errata_markdown, to_frame, verdicts_markdown
from uqalign.theory.report import Check, Report
from uqalign.theory.table import table_one
from uqalign.theory.verdict import Verdict

__all__ = [
    "Check",
    "Comparison",
    "Counterexample",
    "Erratum",
    "Report",
    "Verdict",
    "check_metric",
    "compare",
    "errata",
    "errata_markdown",
    "examine",
    "table_one",
    "to_frame",
    "verdicts_markdown",
]
