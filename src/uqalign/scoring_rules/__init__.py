"""Superior (decision-aware) scoring rules: a proper score plus a penalty that puts every error behind every success."""

from uqalign.scoring_rules.checkers import (
    ProprietyReport,
    SuperiorityReport,
    Witness,
    check_propriety,
    check_superiority,
)
from uqalign.scoring_rules.mixture import mixture_penalty, mixture_weight, threshold_weight, weighted_mixture
from uqalign.scoring_rules.penalised import ScoreParts, penalised_score, score_parts
from uqalign.scoring_rules.penalties import (
    BASES,
    MARGIN,
    Base,
    Endpoints,
    Interval,
    Penalty,
    admissible_penalties,
    endpoints,
    implemented_penalty,
    infimal_penalty,
    penalty_value,
    published_penalty,
)
from uqalign.scoring_rules.per_class import ClassEndpoints, class_endpoints, class_penalised_score, class_threshold
from uqalign.scoring_rules.ties import TIES, Ties, counts_as_correct

__all__ = [
    "BASES",
    "MARGIN",
    "TIES",
    "Base",
    "ClassEndpoints",
    "Endpoints",
    "Interval",
    "Penalty",
    "ProprietyReport",
    "ScoreParts",
    "SuperiorityReport",
    "Ties",
    "Witness",
    "admissible_penalties",
    "check_propriety",
    "check_superiority",
    "class_endpoints",
    "class_penalised_score",
    "class_threshold",
    "counts_as_correct",
    "endpoints",
    "implemented_penalty",
    "infimal_penalty",
    "mixture_penalty",
    "mixture_weight",
    "penalised_score",
    "penalty_value",
    "published_penalty",
    "score_parts",
    "threshold_weight",
    "weighted_mixture",
]
