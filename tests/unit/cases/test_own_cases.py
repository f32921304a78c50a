"""Case studies of one's own, from data to figures, and every refusal on the way."""

import dataclasses
import math
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from case_runs import run_cases
from toy_case import DAYS_DATA, DEMAND, INSPECTION, PARTS_DATA, write_toy_data
from uqalign.agreement import kendall_tau_b
from uqalign.cases.case import Arm, Case, CaseSplit, CrossValidated, FixedTest
from uqalign.cases.files.side import read_side, side_of, write_side
from uqalign.cases.files.splits import fixed_folds, write_fixed_splits
from uqalign.cases.other_priors import perturbed
from uqalign.cases.plan import CasePlan
from uqalign.cases.scoring import variants
from uqalign.cases.tables import number, plain_markdown
from uqalign.config import Config, ConfigError, parse_config
from uqalign.contracts.alignment import read_alignment
from uqalign.contracts.predictions import read_predictions
from uqalign.contracts.scores import read_scores
from uqalign.data.errors import SplitError
from uqalign.data.load import load
from uqalign.data.splits import read_splits
from uqalign.errors import UserError
from uqalign.files import FileError, write_parquet
from uqalign.jobs import Plan
from uqalign.metrics.registry import for_task
from uqalign.priors import Beta
from uqalign.pwu import binary_decision_pwu

MODELS = ["logreg", "linreg", "constant", "noise"]
CONFIG = {"models": MODELS, "seeds": 2, "folds": 2, "datasets": ["iris"]}


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """The folder of a complete run of both case studies, and its plan."""
    folder = tmp_path_factory.mktemp("cases")
    write_toy_data(folder / "raw")
    plan = CasePlan.of(parse_config({**CONFIG, "cases": ["toy_case:INSPECTION", "toy_case:DEMAND"]})).check()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        run_cases(plan, folder / "raw")
        yield folder, plan


@pytest.fixture
def parts(tmp_path):
    write_toy_data(tmp_path)
    return load(PARTS_DATA, data_dir=tmp_path, download_dir=tmp_path)


def test_the_money_is_that_of_the_declared_functions(finished):
    folder, _ = finished
    prices = pd.read_csv(folder / "raw/parts.csv")["price"].to_numpy(dtype=float)
    table = pd.read_csv(folder / "results/cases/inspection/tables/money.csv").set_index("model")
    assert list(table.index) == ["logreg", "constant", "noise"]
    for model in table.index:
        cache = read_predictions(
            folder / f"results/predictions/binary/toy_parts/{model}/seeds-000-001/folds-1-2.parquet"
        )
        per_seed = {0: [], 1: []}
        for split in cache.splits:
            inspected = split.prediction[0] * prices[split.rows] > 1.5
            missed = prices[split.rows][(split.y == 1) & ~inspected].sum()
            per_seed[split.seed].append(-missed - 1.5 * inspected.sum())
        means = [np.mean(values) for values in per_seed.values()]
        assert table.loc[model, "utility"] == pytest.approx(np.mean(means))
        assert table.loc[model, "std_over_seeds"] == pytest.approx(np.std(means, ddof=1))
        assert table.loc[model, "fits"] == "4/4"
        assert table.loc[model, "training_rows"] == 30


def test_metrics_and_utility_are_aligned_as_in_the_benchmark(finished):
    folder, _ = finished
    frame = read_alignment([folder / "results/cases/inspection/alignment/plant.parquet"])
    scores, _ = read_scores(sorted(folder.glob("results/cases/inspection/scores/plant/*/*/*.parquet")))
    assert set(frame["family"]) == {
        "inspection", "inspection:definitions", "inspection:annual_rates", "inspection:published"
    }  # fmt: skip
    mean = scores[scores["seed"] == 1].groupby(["name", "model"])["value"].mean()
    expected = kendall_tau_b(-mean["nll"], mean["inspection"])
    row = frame[(frame["seed"] == 1) & (frame["family"] == "inspection") & (frame["metric"] == "nll")]
    assert row["tau"].tolist() == pytest.approx([expected])
    text = (folder / "results/cases/inspection/tables/alignment.md").read_text()
    assert text.startswith("Alignment with the utility of Inspection of parts: Kendall's tau-b")
    assert "| plant |" in text


def test_what_a_switch_is_worth(finished):
    folder, _ = finished
    scores, _ = read_scores(sorted(folder.glob("results/cases/inspection/scores/plant/*/*/*.parquet")))
    mean = scores.groupby(["name", "model"])["value"].mean()
    table = pd.read_csv(folder / "results/cases/inspection/tables/switches.csv").set_index("switch")
    assert list(table.index) == ["definitions", "annual_rates", "published"]
    assert table.loc["definitions", ["change", "mean_tau_change"]].tolist() == [0, 0]
    change = (mean["inspection:annual_rates"] - mean["inspection:definitions"]).mean()
    assert change != 0
    assert table["change"].tolist()[1:] == pytest.approx([change, change])


def test_prior_weighted_utilities_under_other_priors(finished):
    folder, _ = finished
    table = pd.read_csv(folder / "results/cases/inspection/tables/priors.csv").set_index(["metric", "prior"])
    assert list(table.index) == [
        (metric, prior)
        for metric in ("PWU c", "PWU k")
        for prior in ("base", "slight", "strong", "extreme", *(["own"] if metric == "PWU c" else []))
    ]
    scores, _ = read_scores(sorted(folder.glob("results/cases/inspection/scores/plant/*/*/*.parquet")))
    for model in ("logreg", "noise"):
        cache = read_predictions(
            folder / f"results/predictions/binary/toy_parts/{model}/seeds-000-001/folds-1-2.parquet"
        )
        split = cache.splits[3]
        here = scores[(scores["model"] == model) & (scores["seed"] == split.seed) & (scores["fold"] == split.fold)]
        values = here[here["name"] == "pwu_c"].set_index("theta")["value"]
        for theta, prior in (
            ("", "beta:2,10"),
            ("strong", "beta:10,10"),
            ("extreme", "beta:10,2"),
            ("own", "beta:3,5"),
        ):
            assert values[theta] == binary_decision_pwu(split.y, *split.prediction, prior=prior)
    assert "pwu_c" not in (folder / "results/cases/inspection/tables/money.csv").read_text()


def test_priors_of_every_parameter_are_moved():
    moved = {name: perturbed(metric) for name, metric in for_task("regression").items()}
    assert {name for name, found in moved.items() if found} == {"pwu_lambda", "pwu_phi", "pwu_phi_residual"}
    assert moved["pwu_phi"]["extreme"].options["prior_k"] == Beta(10, 10)
    assert moved["pwu_phi"]["extreme"].options["prior_aversion"] == Beta(9, 3)
    assert moved["pwu_phi_residual"]["slight"].options["payoff"] == "residual"


def test_tables_and_figures_of_its_own(finished):
    folder, plan = finished
    text = (folder / "results/cases/inspection/tables/priciest.md").read_text()
    assert text.splitlines()[0] == "The dearest part."
    assert text.splitlines()[-1] == "| 8 |"
    for figure in ("alignment", "prices"):
        assert (folder / f"results/cases/inspection/figures/{figure}.png").read_bytes()[:4] == b"\x89PNG"
    assert set(plan.case_targets()) >= {
        "results/cases/demand/tables/alignment.md",
        "results/cases/demand/figures/alignment.pdf",
    }
    assert "results/cases/demand/tables/switches.csv" not in plan.case_targets()


def test_a_fixed_test_set_has_one_fit_and_replicates_for_seeds(finished):
    folder, plan = finished
    jobs = [job for job in plan.jobs if job.dataset.endswith("days")]
    assert sorted((job.dataset, job.model, list(job.seeds), list(job.folds)) for job in jobs) == [
        (dataset, model, [0], [1])
        for dataset in ("toy_days", "toy_more_days")
        for model in ("constant", "linreg", "noise")
    ]
    cache = read_predictions(folder / "results/predictions/regression/toy_days/linreg/seeds-000-000/folds-1-1.parquet")
    (split,) = cache.splits
    assert [row % 28 for row in split.rows] == [*range(21, 28)] * 2
    frame = read_alignment([folder / "results/cases/demand/alignment/shop.parquet"])
    assert sorted(set(frame["seed"])) == [0, 1, 2, 3]
    assert "Median over 4 repeats" in (folder / "results/cases/demand/tables/alignment.md").read_text()
    money = pd.read_csv(folder / "results/cases/demand/tables/money.csv")
    assert money["fits"].tolist() == ["2/2"] * 3


def test_predictions_of_other_data_or_code_are_refused(finished, tmp_path):
    from uqalign.stages import case_score

    folder, plan = finished
    w = SimpleNamespace(case="inspection", arm="plant", model="noise", seeds="seeds-000-001", folds="folds-1-2")
    files = [folder / file for file in plan.score_inputs(w)]
    orders = {"spec": plan.case_score_spec(w), "code": plan.case_score_code(w), "out": tmp_path / "out.parquet"}
    other = folder / "results/predictions/binary/toy_parts/constant/seeds-000-001/folds-1-2.parquet"
    with pytest.raises(FileError, match="comes from another job"):
        case_score.run(files=[*files[:3], other], **orders)
    with pytest.raises(FileError, match="belongs to other data"):
        case_score.run(files=[files[0], folder / "results/cases/demand/side/toy_days.parquet", *files[2:]], **orders)
    with pytest.raises(FileError, match="3 files, expected 4"):
        case_score.run(files=files[:3], **orders)
    assert not (tmp_path / "out.parquet").exists()


def test_editing_one_function_remakes_what_depends_on_it_and_no_more():
    plan = CasePlan.of(parse_config({**CONFIG, "cases": ["toy_case:INSPECTION"]})).check()
    changed = CasePlan.of(
        parse_config({**CONFIG, "cases": ["toy_case:INSPECTION"], "case_options": {"inspection": {"inspection": 2}}})
    ).check()
    w = SimpleNamespace(
        case="inspection", arm="plant", task="binary", dataset="toy_parts", model="noise", seeds="seeds-000-001",
        folds="folds-1-2", table="money", block="seeds-000-099",
    )  # fmt: skip
    assert plan.case_score_spec(w) != changed.case_score_spec(w)
    assert plan.train_spec(w) == changed.train_spec(w)
    assert plan.side_spec(w) == changed.side_spec(w)
    assert plan.case_table_code(w) != plan.case_score_code(w)
    without = Plan(Config(**CONFIG))
    benchmark = SimpleNamespace(
        task="multiclass", dataset="iris", model="logreg", seeds="seeds-000-001", folds="folds-1-2"
    )
    assert plan.train_spec(benchmark) == without.train_spec(benchmark)
    assert [job for job in plan.jobs if job.dataset == "iris"] == list(without.jobs)


def test_without_case_studies_there_is_nothing_more_to_do():
    config = Config(**CONFIG)
    plan = CasePlan.of(config).check()
    assert plan.case_targets() == []
    assert plan.jobs == Plan(config).jobs
    assert plan.fixed_splits() == "(?!)"


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"cases": ["lendin"]}, "cases: unknown case study 'lendin': did you mean 'lending'"),
        ({"cases": ["toy_case:NOTHING"]}, "cases: case study 'toy_case:NOTHING' cannot be loaded"),
        ({"cases": ["lending", "lending"]}, "cases: listed more than once: lending"),
        ({"case_options": {"lending": {"budget": 1}}}, "case_options: 'lending' is not among cases: no case study"),
        ({"cases": ["lending"], "case_options": {"lendin": {"budget": 1}}}, "did you mean 'lending'"),
        (
            {"cases": ["lending"], "case_options": {"lending": {"bugdet": 1}}},
            "unknown option 'bugdet': did you mean 'budget'",
        ),
        ({"cases": ["lending"], "case_options": {"lending": {"budget": "much"}}}, "'much' is not of the kind of 15000"),
        (
            {"cases": ["lending"], "datasets": ["auto_mpg"], "models": ["linreg", "constant"]},
            "models: 1 of them can be fitted to lending_club (binary)",
        ),
        (
            {"cases": ["toy_case:DEMAND"], "datasets": ["toy_case:DAYS_DATA"]},
            "datasets: toy_days is split by case study demand and serves nothing else: leave it out of datasets",
        ),
    ],
)
def test_configurations_that_cannot_be_run(changes, told):
    with pytest.raises(ConfigError) as refused:
        CasePlan.of(parse_config({**CONFIG, **changes})).check()
    assert told in str(refused.value)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"task": "ranking"}, "task 'ranking' is none of"),
        ({"arms": ()}, "needs an arm, and each arm a data set"),
        ({"arms": (Arm("a", "A", ("x",)), Arm("a", "B", ("y",)))}, "two arms share a name"),
        ({"arms": (Arm("a", "A", ("x",), {"price": 1}),)}, "arm 'a' sets 'price', which is no option"),
        ({"arms": (Arm("a", "A", ("x", "y")),)}, "several data sets needs a `score` of its own"),
        ({"splits": FixedTest(lambda table: table.time > 0, "draws")}, "needs a `score` that writes replicates"),
        (
            {"splits": FixedTest(lambda table: table.time > 0, "draws"), "score": lambda i: iter(())},
            "'draws' is no option",
        ),
    ],
)
def test_declarations_that_make_no_sense(changes, told):
    with pytest.raises(ValueError, match="case study 'inspection'") as refused:
        dataclasses.replace(INSPECTION, **changes)
    assert told in str(refused.value)


def test_variants_cover_the_configured_switches_and_every_one_alone():
    assert variants(INSPECTION, frozenset({"annual_rates", "ece_drop_one"})) == {
        "inspection": {"annual_rates"},
        "inspection:definitions": frozenset(),
        "inspection:annual_rates": {"annual_rates"},
        "inspection:published": {"annual_rates"},
    }
    assert variants(DEMAND, frozenset()) == {"demand": frozenset()}


def test_side_information_goes_through_its_file_row_by_row(parts, tmp_path):
    frame = pd.DataFrame({"price": [float(row % 3) for row in range(len(parts))]})
    side = side_of(INSPECTION, parts, frame)
    write_side(tmp_path / "side.parquet", side, {"data_sha256": parts.digest})
    pd.testing.assert_frame_equal(read_side(tmp_path / "side.parquet", parts), frame)
    write_side(tmp_path / "other.parquet", side, {"data_sha256": "0"})
    with pytest.raises(FileError, match="belongs to other data"):
        read_side(tmp_path / "other.parquet", parts)
    shuffled = pd.read_parquet(tmp_path / "side.parquet").iloc[::-1]
    write_parquet(shuffled, tmp_path / "shuffled.parquet", {"kind": "side", "data_sha256": parts.digest})
    with pytest.raises(FileError, match="rows are not numbered"):
        read_side(tmp_path / "shuffled.parquet", parts)
    write_parquet(shuffled, tmp_path / "scores.parquet", {"kind": "scores"})
    with pytest.raises(FileError, match="not side information"):
        read_side(tmp_path / "scores.parquet")


@pytest.mark.parametrize(
    ("side", "told"),
    [
        (lambda table, frame: frame.iloc[1:], "has 59 rows, expected one for each of the 60"),
        (lambda table, frame: frame[[]], "needs columns"),
        (lambda table, frame: frame.rename(columns={"price": "row"}), "none of them 'row'"),
    ],
)
def test_side_information_that_fits_no_table(parts, side, told):
    with pytest.raises(UserError, match=told):
        side_of(dataclasses.replace(INSPECTION, side=side), parts, pd.DataFrame({"price": [1.0] * 60}))


def test_fixed_splits_are_read_like_any_others(tmp_path):
    write_toy_data(tmp_path)
    table = load(DAYS_DATA, data_dir=tmp_path, download_dir=tmp_path)
    write_fixed_splits(tmp_path / "splits.parquet", DEMAND.splits, table, first_seed=0)
    for seed in (0, 99):
        folds = read_splits(tmp_path / "splits.parquet", seed, table=table)
        assert folds.tolist() == ([2] * 21 + [1] * 7) * 2


@pytest.mark.parametrize(
    ("test", "told"),
    [
        (lambda table: np.zeros(len(table), dtype=bool), "holds 0 of 56 rows"),
        (lambda table: np.ones(len(table), dtype=bool), "holds 56 of 56 rows"),
        (lambda table: np.arange(len(table)), "must be .56,. booleans, got int64"),
    ],
)
def test_a_fixed_test_set_leaves_something_on_both_sides(tmp_path, test, told):
    write_toy_data(tmp_path)
    table = load(DAYS_DATA, data_dir=tmp_path, download_dir=tmp_path)
    with pytest.raises(SplitError, match=told):
        fixed_folds(FixedTest(test, "draws"), table)


def test_cells_as_people_read_them():
    assert [number(v) for v in (1234567.8, 12.0, 0.123456, math.nan, 12345, "x")] == [
        "1,234,568", "12", "0.1235", "--", "12,345", "x"
    ]  # fmt: skip
    assert plain_markdown("Caption.", pd.DataFrame({"a_b": [1.5]})) == "Caption.\n\n| a b |\n| --- |\n| 1.5 |\n"


def test_declared_functions_are_called_directly():
    """What the page on case studies of one's own promises: the three functions are plain."""
    side = pd.DataFrame({"price": [8.0, 1.0]})
    split = CaseSplit(
        arm="plant",
        seed=0,
        fold=1,
        y=np.array([1.0, 1.0]),
        prediction=(np.array([0.9, 0.9]),),
        side=side,
        y_train=np.empty(0),
        side_train=side.iloc[:0],
        options={"inspection": 1.5},
        switches=frozenset(),
    )
    inspected = INSPECTION.decide(split)
    assert inspected.tolist() == [True, False]
    assert INSPECTION.utility(split, inspected) == -2.5
    assert isinstance(INSPECTION.splits, CrossValidated)
    assert isinstance(INSPECTION, Case)
