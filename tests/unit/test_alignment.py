"""Rankings and Kendall's tau against scipy, brute force and hand-worked cases."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from uqalign.agreement import kendall_tau_b, pair_signs
from uqalign.alignment import align, fold_mean, per_seed, ranking, seed_taus, summarise

values = st.lists(st.integers(-3, 3).map(float), min_size=2, max_size=9)


@given(st.data())
def test_tau_equals_scipy(data):
    x = data.draw(values)
    y = data.draw(st.lists(st.integers(-3, 3).map(float), min_size=len(x), max_size=len(x)))
    expected = kendalltau(x, y).statistic
    assert kendall_tau_b(x, y) == pytest.approx(expected, nan_ok=True, abs=1e-15)


def test_tau_on_known_cases():
    assert kendall_tau_b([1, 2, 3], [1, 2, 3]) == 1
    assert kendall_tau_b([1, 2, 3], [3, 2, 1]) == -1
    # scipy #5755: ties count in the denominator.
    assert kendall_tau_b([1, 0, 0], [0, 0, 1]) == pytest.approx(-0.5)
    # "tau = 0.8" means that 90 % of the pairs agree.
    assert kendall_tau_b(range(5), [0, 1, 2, 4, 3]) == pytest.approx(0.8)
    agreeing = sum(
        (a < b) == (c < d) for (a, c), (b, d) in itertools.combinations(zip(range(5), [0, 1, 2, 4, 3], strict=True), 2)
    )
    assert agreeing == 9


def test_tau_has_no_value_where_nothing_is_ranked():
    assert math.isnan(kendall_tau_b([1, 1, 1], [1, 2, 3]))
    assert math.isnan(kendall_tau_b([1, 2], [5, 5]))
    assert math.isnan(kendall_tau_b([1], [2]))
    # scipy #628: NaN is no number to rank.
    assert math.isnan(kendall_tau_b([1, 3], [1, math.nan]))
    assert kendall_tau_b([1, 3, 2], [1, math.nan, 2]) == 1
    with pytest.raises(ValueError, match="one length"):
        kendall_tau_b([1, 2], [1])


def test_infinite_values_rank_and_tie_with_each_other():
    inf = math.inf
    assert kendall_tau_b([1, 2, inf], [1, 2, 3]) == 1
    assert kendall_tau_b([-inf, 2, inf], [1, 2, 3]) == 1
    assert kendall_tau_b([1, inf, inf], [1, 2, 2]) == 1
    assert pair_signs(np.array([inf, inf])).tolist() == [0]


def test_rounding_noise_does_not_decide_a_ranking():
    # 0.1 + 0.2 and 0.3 differ in the last bit; so do sums of the same losses in another order.
    assert kendall_tau_b([0.1 + 0.2, 0.3, 0.5], [1, 1, 2]) == 1
    assert kendall_tau_b([1e-300, 2e-300], [1, 2]) == 1
    assert kendall_tau_b([1e300, 1.0001e300], [1, 2]) == 1


def test_rankings_leave_out_what_has_no_value():
    # scikit-learn #10529: NaN was ranked first or anywhere.
    assert ranking([math.nan, 0.7, 0.5], list("ABC"), higher_is_better=True) == [["B"], ["C"]]
    assert ranking([2, 1, 1, math.inf], list("ABCD"), higher_is_better=False) == [["B", "C"], ["A"], ["D"]]
    assert ranking([-math.inf, 3], list("AB"), higher_is_better=True) == [["B"], ["A"]]
    assert ranking([math.inf, math.inf], list("AB"), higher_is_better=True) == [["A", "B"]]
    assert ranking([0.1 + 0.2, 0.3], list("AB"), higher_is_better=True) == [["A", "B"]]


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=6), st.randoms())
def test_fold_means_do_not_depend_on_the_order(folds, random):
    shuffled = folds[:]
    random.shuffle(shuffled)
    assert fold_mean(folds) == fold_mean(shuffled)


def test_fold_means_of_special_values():
    assert math.isnan(fold_mean([1, math.nan]))
    assert fold_mean([1, math.inf]) == math.inf
    assert math.isnan(fold_mean([math.inf, -math.inf]))


def scores(rows):
    """Score rows (seed, fold, model, kind, name, theta, value)."""
    frame = pd.DataFrame(rows, columns=["seed", "fold", "model", "kind", "name", "theta", "value"])
    return frame.assign(task="binary", dataset="d", note="")


def two_folds(seed, model, metric, utility):
    return [
        (seed, fold, model, kind, name, theta, value + offset)
        for fold, offset in ((1, -0.5), (2, 0.5))
        for kind, name, theta, value in (
            ("metric", "nll", "", metric),
            ("utility", "top_k", "q=0.1", utility),
        )
    ]


def test_alignment_by_hand():
    rows = []
    for model, loss, utility in (("a", 1, 3), ("b", 2, 2), ("c", 3, 5)):
        rows += two_folds(0, model, loss, utility)
    wide = per_seed(scores(rows), ["a", "b", "c"], folds=2)
    assert wide.loc[(0, "metric", "nll", "")].tolist() == [1, 2, 3]
    table = align(wide, {"nll": False})
    # Losses 1, 2, 3 mean "a best"; utilities 3, 2, 5 agree on one pair of three.
    assert table["tau"].tolist() == pytest.approx([-1 / 3])
    assert align(wide, {"nll": True})["tau"].tolist() == pytest.approx([1 / 3])
    assert table["models"].tolist() == [3]


def test_a_model_without_all_folds_is_left_out_and_counted():
    rows = []
    for model, loss, utility in (("a", 1, 3), ("b", 2, 2), ("c", 3, 1)):
        rows += two_folds(0, model, loss, utility)
    kept = [row for row in rows if not (row[2] == "c" and row[1] == 2)]
    table = align(per_seed(scores(kept), ["a", "b", "c", "absent"], folds=2), {"nll": False})
    assert table["models"].tolist() == [2]
    assert table["tau"].tolist() == [1]


def test_no_scores_give_no_means():
    assert per_seed(scores([]), ["a", "b"], folds=2).shape == (0, 2)
    assert align(per_seed(scores([]), ["a", "b"], folds=2), {}).empty


def test_undefined_alignment_says_why():
    rows = [row for model, u in (("a", 1), ("b", 1)) for row in two_folds(0, model, 2, u)]
    table = align(per_seed(scores(rows), ["a", "b"], folds=2), {"nll": False})
    assert math.isnan(table["tau"][0])
    assert table["note"][0] == "the metric is the same for all models"
    rows = [row for model, u in (("a", 1), ("b", 1)) for row in two_folds(0, model, u if model == "a" else 9, u)]
    table = align(per_seed(scores(rows), ["a", "b"], folds=2), {"nll": False})
    assert table["note"][0] == "the utility is the same for all models"


def test_summary_over_seeds_and_decisions():
    frame = pd.DataFrame(
        [
            ("d", seed, "top_k", theta, "nll", tau)
            for seed, taus in enumerate([(0.0, 1.0), (0.5, math.nan), (math.nan, math.nan), (1.0, 1.0)])
            for theta, tau in zip(("t1", "t2"), taus, strict=True)
        ],
        columns=["dataset", "seed", "family", "theta", "metric", "tau"],
    )
    by_seed = seed_taus(frame)
    assert by_seed["tau"].tolist()[:2] == [0.5, 0.5]
    assert by_seed["defined"].tolist() == [2, 1, 0, 2]
    summary = summarise(frame).iloc[0]
    assert (summary["median"], summary["defined"], summary["expected"]) == (0.5, 5, 8)
    assert summary["q05"] == pytest.approx(np.quantile([0.5, 0.5, 1], 0.05))
