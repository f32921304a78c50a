"""`uqalign score`."""

import io
import json
import math

import numpy as np
import pandas as pd
import pytest
import typer
from typer.testing import CliRunner

from uqalign.cli.score import score_command
from uqalign.errors import UserError
from uqalign.metrics.registry import for_task
from uqalign.priors import Beta
from uqalign.pwu import binary_decision_pwu, top_k_pwu

app = typer.Typer()
app.command()(score_command)


def run(*arguments):
    result = CliRunner().invoke(app, [str(a) for a in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.output


def scores(*arguments):
    frame = pd.read_csv(io.StringIO(run(*arguments, "--format", "csv")))
    return frame.set_index(["model", "metric"])


@pytest.fixture
def binary(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"y": rng.integers(0, 2, 40), "p": rng.random(40)})
    path = tmp_path / "forest.csv"
    frame.to_csv(path, index=False)
    return path, frame


def test_every_binary_metric_of_one_model(binary):
    path, frame = binary
    table = scores(path, "--task", "binary")
    for name, metric in for_task("binary").items():
        value = metric.evaluate(frame["y"], (frame["p"],))
        assert table.loc[("forest", name), "value"] == pytest.approx(value, rel=1e-12)
        assert table.loc[("forest", name), "higher_is_better"] == metric.higher_is_better


def test_models_side_by_side_and_below_each_other_are_the_same(binary, tmp_path):
    _, frame = binary
    frame["q"] = 1 - frame["p"]
    wide = frame.rename(columns={"p": "p:good one", "q": "p:b"})
    wide.to_parquet(tmp_path / "wide.parquet")
    stacked = pd.concat(
        [
            frame[["y", "p"]].assign(model="good one"),
            frame[["y", "q"]].rename(columns={"q": "p"}).assign(model="b"),
        ]
    )
    stacked.to_csv(tmp_path / "long.csv", index=False)
    first = scores(tmp_path / "wide.parquet", "--task", "binary")
    second = scores(tmp_path / "long.csv", "--task", "binary")
    pd.testing.assert_frame_equal(first, second)
    assert list(dict.fromkeys(first.index.get_level_values("model"))) == ["good one", "b"]


def test_priors_replace_the_defaults(binary):
    path, frame = binary
    table = scores(path, "--task", "binary", "--prior", "c=beta:10,2", "--prior", "k=beta:2,2")
    y, p = frame["y"], frame["p"]
    assert table.loc[("forest", "pwu_c"), "value"] == pytest.approx(binary_decision_pwu(y, p, prior=Beta(10, 2)))
    assert table.loc[("forest", "pwu_k"), "value"] == pytest.approx(top_k_pwu(y, p, prior=Beta(2, 2)))


def test_seeds_and_folds_are_scored_apart_and_averaged(binary, tmp_path):
    _, frame = binary
    frame["seed"], frame["fold"] = np.arange(40) % 2, np.arange(40) // 2 % 3
    path = tmp_path / "folds.parquet"
    frame.to_parquet(path)
    metric = for_task("binary")["pwu_k"]
    alone = [metric.evaluate(part["y"], (part["p"],)) for _, part in frame.groupby(["seed", "fold"])]
    row = scores(path, "--task", "binary").loc[("folds", "pwu_k")]
    assert row["value"] == pytest.approx(np.mean(alone))
    assert row["groups"] == 6
    assert "mean over 6 seeds and folds" in run(path, "--task", "binary")


def test_undefined_in_one_fold_is_undefined_and_counted(tmp_path):
    frame = pd.DataFrame({"y": [0, 1, 1, 1], "p": [0.1, 0.4, 0.9, 0.8], "fold": [0, 0, 1, 1]})
    path = tmp_path / "model.csv"
    frame.to_csv(path, index=False)
    row = scores(path, "--task", "binary", "--metric", "edet").loc[("model", "edet")]
    assert math.isnan(row["value"])
    assert row["undefined"] == 1
    assert "no label is wrong" in row["note"]
    shown = run(path, "--task", "binary", "--metric", "edet")
    assert "undefined in 1 of 2" in shown


def test_a_clipped_log_score_says_how_many_rows(tmp_path):
    path = tmp_path / "model.csv"
    pd.DataFrame({"y": [1, 0], "p": [0.0, 0.5]}).to_csv(path, index=False)
    row = scores(path, "--task", "binary", "--metric", "nll").loc[("model", "nll")]
    assert row["value"] == pytest.approx((52 * math.log(2) + math.log(2)) / 2)
    assert "1 of 2 rows had a probability below clip=2.22045e-16" in row["note"]


def test_regression_by_variance_or_standard_deviation(tmp_path):
    rng = np.random.default_rng(0)
    y, mu, var = rng.normal(size=30) + 4, rng.normal(size=30) + 4, rng.gamma(1, 1, 30)
    pd.DataFrame({"y": y, "mu:a": mu, "var:a": var, "mu:b": mu, "std:b": np.sqrt(var)}).to_parquet(
        tmp_path / "r.parquet"
    )
    table = scores(tmp_path / "r.parquet", "--task", "regression")
    for name, metric in for_task("regression").items():
        value = metric.evaluate(y, (mu, var))
        for model in ("a", "b"):
            assert table.loc[(model, name), "value"] == pytest.approx(value, rel=1e-9)


def test_multiclass_with_named_classes(tmp_path):
    rng = np.random.default_rng(0)
    p, y = rng.dirichlet(np.ones(3), 30), rng.integers(0, 3, 30)
    columns = {f"p_{k}": p[:, k] for k in range(3)}
    pd.DataFrame({"y": np.array(["low", "mid", "high"])[y], **columns}).to_csv(tmp_path / "m.csv", index=False)
    table = scores(tmp_path / "m.csv", "--task", "multiclass", "--labels", "low,mid,high")
    for name, metric in for_task("multiclass").items():
        assert table.loc[("m", name), "value"] == pytest.approx(metric.evaluate(y, (p,)), rel=1e-9)
    with pytest.raises(UserError, match=r"y holds text such as .*--labels"):
        run(tmp_path / "m.csv", "--task", "multiclass")
    with pytest.raises(UserError, match=r"the 3 classes"):
        run(tmp_path / "m.csv", "--task", "multiclass", "--labels", "low,mid")
    with pytest.raises(UserError, match=r"y is '(mid|high)': not one of the classes"):
        run(tmp_path / "m.csv", "--task", "multiclass", "--labels", "low,top,other")


def test_multivariate(tmp_path):
    rng = np.random.default_rng(0)
    y, mu = rng.normal(size=(20, 2)) + 9, rng.normal(size=(20, 2)) + 9
    cov = np.array([[1.0, 0.3], [0.3, 0.5]])
    frame = pd.DataFrame(
        {
            **{f"y_{d}": y[:, d] for d in range(2)},
            **{f"mu_{d}": mu[:, d] for d in range(2)},
            "cov_0_0": 1.0,
            "cov_1_0": 0.3,
            "cov_1_1": 0.5,
        }
    )
    frame.to_parquet(tmp_path / "v.parquet")
    table = scores(tmp_path / "v.parquet", "--task", "multivariate")
    for name, metric in for_task("multivariate").items():
        value = metric.evaluate(y, (mu, np.tile(cov, (20, 1, 1))))
        assert table.loc[("v", name), "value"] == pytest.approx(value, rel=1e-9)


def test_sample_weights(binary, tmp_path):
    _, frame = binary
    frame["times"] = np.arange(40) % 3
    frame.to_csv(tmp_path / "w.csv", index=False)
    table = scores(tmp_path / "w.csv", "--task", "binary", "--weight", "times")
    expected = for_task("binary")["ece"].evaluate(frame["y"], (frame["p"],), sample_weight=frame["times"])
    assert table.loc[("w", "ece"), "value"] == pytest.approx(expected)


def test_rows_of_weight_zero_may_hold_anything(binary, tmp_path):
    _, frame = binary
    frame["times"], frame["seed"] = 1 + np.arange(40) % 3, np.arange(40) % 2
    frame.to_csv(tmp_path / "all.csv", index=False)
    absent = pd.DataFrame({"y": [7], "p": [math.nan], "times": [0], "seed": [1]})
    pd.concat([absent, frame]).to_csv(tmp_path / "more.csv", index=False)
    one, two = (scores(tmp_path / f"{name}.csv", "--task", "binary", "--weight", "times") for name in ("all", "more"))
    np.testing.assert_array_equal(one["value"], two["value"])
    assert list(one["groups"].unique()) == [2]


def test_columns_of_other_names(binary, tmp_path):
    path, frame = binary
    (tmp_path / "other").mkdir()
    frame.rename(columns={"y": "target", "p": "prob"}).to_csv(tmp_path / "other/forest.csv", index=False)
    own = scores(tmp_path / "other/forest.csv", "--task", "binary", "--column", "y=target", "--column", "p=prob")
    pd.testing.assert_frame_equal(own, scores(path, "--task", "binary"))


def test_table_marks_orientation_and_names_every_metric(binary):
    path, _ = binary
    shown = run(path, "--task", "binary")
    for name in for_task("binary"):
        assert name in shown
    assert "higher" in shown
    assert "lower" in shown


def test_many_models_are_shown_whole(binary, tmp_path):
    _, frame = binary
    for k in range(12):
        frame[f"p:model_{k}"] = frame["p"] ** (k + 1)
    frame.drop(columns="p").to_csv(tmp_path / "many.csv", index=False)
    shown = run(tmp_path / "many.csv", "--task", "binary", "--metric", "brier")
    for k in range(12):
        assert f"model_{k}" in shown
        value = for_task("binary")["brier"].evaluate(frame["y"], (frame[f"p:model_{k}"],))
        assert f"{value:.6g}" in shown


def test_json_names_options_and_turns_undefined_into_null(tmp_path):
    path = tmp_path / "perfect.csv"
    pd.DataFrame({"y": [0, 1], "p": [0.1, 0.9]}).to_csv(path, index=False)
    document = json.loads(run(path, "--task", "binary", "--format", "json", "--prior", "c=beta:3,9"))
    assert document["task"] == "binary"
    assert document["options"]["pwu_c"] == {"prior": "beta:3,9"}
    by_name = {entry["metric"]: entry for entry in document["scores"]}
    assert by_name["edet"]["value"] is None
    assert by_name["accuracy"]["value"] == 1.0


@pytest.mark.parametrize(
    ("content", "arguments", "message"),
    [
        ("y,prob\n1,0.2\n", [], r"needs the column 'p' .*found y, prob: did you mean 'prob'\? Then --column p=prob"),
        ("target,p\n1,0.2\n", [], r"needs the column 'y'"),
        ("y,p,p:a\n1,0.2,0.3\n", [], r"'p' and 'p:a'"),
        ("y,model,p:a\n1,x,0.3\n", [], r"'model' and 'p:a'"),
        ("y,p\n1,1.5\n", [], r"predictions.csv, line 2: p is 1.5: a probability"),
        ("y,p,fold\n1,0.5,0\n3,0.5,1\n", [], r"predictions.csv, line 3: y is 3: none of the classes"),
        ("y,p\n", [], r"holds no rows"),
        ("y,p\n1,0.2\n", ["--metric", "brierr"], r"did you mean 'brier'"),
        ("y,p\n1,0.2\n", ["--prior", "c"], r"PARAMETER=PRIOR"),
        ("y,p\n1,0.2\n", ["--prior", "c=bata:2,10"], r"beta"),
        ("y,p\n1,0.2\n", ["--prior", "lamda=beta:2,10"], r"no binary metric averages over 'lamda'"),
        ("y,p\n1,0.2\n", ["--prior", "lambda=beta:2,10"], r"no binary metric averages over 'lambda'"),
        ("y,p\n1,0.2\n", ["--prior", "c=beta:1,1", "--prior", "c=beta:2,2"], r"given twice"),
        ("y,p\n1,0.2\n", ["--metric", "nll", "--prior", "c=beta:1,1"], r"none of the metrics has a prior"),
        ("y,p\n1,0.2\n", ["--format", "jsn"], r"unknown format 'jsn': did you mean 'json'"),
        ("y,p,w\n1,0.2,-1\n", ["--weight", "w"], r"line 2: w is -1: weights must be finite and >= 0"),
        ("y,p,w\n1,0.2,0\n", ["--weight", "w"], r"w is zero everywhere"),
        ("y,p\n1,0.2\n", ["--weight", "w"], r"needs the column 'w'"),
    ],
)
def test_mistakes_are_named(tmp_path, content, arguments, message):
    path = tmp_path / "predictions.csv"
    path.write_text(content)
    with pytest.raises(UserError, match=message):
        run(path, "--task", "binary", *arguments)


def test_wrong_files_and_tasks_are_named(tmp_path):
    with pytest.raises(UserError, match="does not exist"):
        run(tmp_path / "absent.csv", "--task", "binary")
    other = tmp_path / "predictions.xlsx"
    other.write_text("")
    with pytest.raises(UserError, match=r"\.csv or \.parquet files, not \.xlsx"):
        run(other, "--task", "binary")
    damaged = tmp_path / "damaged.parquet"
    damaged.write_text("no parquet")
    with pytest.raises(UserError, match="cannot be read"):
        run(damaged, "--task", "binary")
    with pytest.raises(UserError, match="unknown task 'binray': did you mean 'binary'"):
        run(damaged, "--task", "binray")


def test_negative_standard_deviations_are_refused(tmp_path):
    path = tmp_path / "r.csv"
    path.write_text("y,mu,std\n1,1,-2\n")
    with pytest.raises(UserError, match=r"line 2: std is -2: a standard deviation"):
        run(path, "--task", "regression")


def test_missing_classes_and_coordinates_are_named(tmp_path):
    path = tmp_path / "m.csv"
    path.write_text("y,p_0,p_1\n1,0.5,0.5\n")
    with pytest.raises(UserError, match="needs the column 'p_2'"):
        run(path, "--task", "multiclass")
    path.write_text("y_0,y_1,mu_0,mu_1,cov_0_0,cov_1_1\n1,1,1,1,1,1\n")
    with pytest.raises(UserError, match="needs the column 'cov_1_0'"):
        run(path, "--task", "multivariate")


@pytest.mark.parametrize("column", ["model", "seed", "fold"])
def test_rows_without_a_model_seed_or_fold_are_refused(tmp_path, column):
    frame = pd.DataFrame({"y": [0, 1, 1, 0], "p": [0.2, 0.7, 0.6, 0.1], column: ["1", "1", None, "1"]})
    frame.to_csv(tmp_path / "gap.csv", index=False)
    with pytest.raises(UserError, match=f"gap.csv, line 4: {column} is empty: fill the column"):
        run(tmp_path / "gap.csv", "--task", "binary")
