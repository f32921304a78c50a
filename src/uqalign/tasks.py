"""The four prediction tasks, and what a prediction of each looks like."""

from __future__ import annotations

from typing import Literal, get_args

Task = Literal["binary", "multiclass", "regression", "multivariate"]
TASKS: tuple[Task, ...] = get_args(Task)

CLASSIFICATION: frozenset[Task] = frozenset({"binary", "multiclass"})


def prediction_columns(task: Task, width: int) -> list[str]:
    """Column names of a prediction of `task` in a file.

    Args:
        task: binary, multiclass, regression or multivariate.
        width: number of classes (classification) or of target coordinates (regression).

    Returns:
        `p` | `p_0 ..` | `mu, var` | `mu_0 .., cov_00, cov_10, cov_11, ..` (lower triangle by rows).
    """
    match task:
        case "binary":
            return ["p"]
        case "multiclass":
            return [f"p_{k}" for k in range(width)]
        case "regression":
            return ["mu", "var"]
        case "multivariate":
            means = [f"mu_{d}" for d in range(width)]
            return means + [f"cov_{i}_{j}" for i in range(width) for j in range(i + 1)]


def target_columns(task: Task, width: int) -> list[str]:
    """Column names of the target: `y`, or `y_0 ..` with several coordinates."""
    return [f"y_{d}" for d in range(width)] if task == "multivariate" else ["y"]
