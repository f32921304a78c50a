"""A mistake in a file is named: file, row, column, value, remedy."""

import io

import numpy as np
import pandas as pd
import pytest

from prediction_tables import long_table, written
from uqalign.compare.predictions import read_predictions
from uqalign.errors import UserError

KEYS = "model,seed,fold,row"


def refused(tmp_path, message, *texts, task="binary", suffix="csv", **options):
    paths = []
    for i, text in enumerate(texts):
        frame = pd.read_csv(io.StringIO(text)) if suffix == "parquet" else None
        path = tmp_path / f"{'abc'[i]}.{suffix}"
        if frame is None:
            path.write_text(text)
        paths.append(path if frame is None else written(frame, path))
    with pytest.raises(UserError, match=message):
        read_predictions(paths, task, **options)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("y,prob\n1,.2\n", r"a\.csv: a binary table needs the column 'p' \(y, p\); found y, prob: did you mean 'prob'"),
        ("y,p_0,p_1\n1,.2,.8\n", r"probability of class 1 alone, --column p=p_1"),
        ("y,p_forest,p_knn\n1,.2,.8\n", r"'p_forest' is a model's, --column 'p:\{model\}=p_\{model\}'"),
        ("truth,p\n1,.2\n", r"needs the column 'y'.* say which it is, --column y=NAME"),
        ("y,p\n1,.2\n0,1.5\n", r"a\.csv, line 3: p is 1\.5: a probability in \[0, 1\] is needed"),
        ("y,p\n1,20\n0,50\n", r"line 2: p is 20: .*\(a per cent\? divide by 100\)"),
        ("y,p\n1,.2\n0,\n", r"a\.csv, line 3: p is empty: a finite number is needed: fill it"),
        ("y,p\n1,.2\n0,inf\n", r"a\.csv, line 3: p is inf: a finite number"),
        ("y,p\n1,.2\n0,high\n", r"a\.csv, line 3: p is 'high': a number is needed"),
        ('y,p\n1,"0,2"\n', r"line 2: p is '0,2': write decimals with a point"),
        ("y,p\n1,20%\n", r"line 2: p is '20%': write a number, such as 0.2 for 20 %"),
        ("y,p\n1,.2\n2,.3\n", r"line 3: y is 2: none of the classes \[0, 1\]"),
        ("y,p\n1,.2\n,.3\n", r"line 3: y is empty"),
        ("y,p\nyes,.2\nno,.3\n", r"y holds text such as 'yes': .* --labels yes,no \(the second is class 1\)"),
        ("y,p,model\n1,.2,a\n1,.2,\n", r"line 3: model is empty: fill the column in every row"),
        ("y,p,seed\n1,.2,1\n1,.2,\n", r"line 3: seed is empty"),
        ("y,p,p:a\n1,.2,.3\n", r"'p' and 'p:a' do not go together"),
        ("y;p\n1;0,2\n", r"a\.csv: columns are separated by ';': write commas"),
        ("y,p\n", r"a\.csv holds no rows"),
        (
            f"{KEYS},y,p\na,1,2,7,1,.2\na,1,2,8,1,.2\na,1,2,7,0,.3\n",
            r"model 'a', the only test set: row 7 is there twice, .*a\.csv, line 2 and .*a\.csv, line 4: leave one out",
        ),
        (
            f"{KEYS},y,p\na,1,1,7,1,.2\na,2,1,8,1,.2\nb,1,1,7,0,.3\nb,2,1,8,1,.2\n",
            r"the truth differs: .*line 2 says 1.0 \(model 'a'\), .*line 4 says 0.0 \(model 'b'\), 1 such rows: mend",
        ),
        ("model,y,p\na,1,.2\na,0,.1\nb,0,.3\nb,1,.4\n", r"the truth differs: .* matched by their order: sort all"),
        (f"{KEYS},y,p\na,1,1,7,1,.2\na,1,1,8,1,.2\nb,1,1,7,1,.3\n", r"line 3: model 'a' predicts row 8 of the only"),
        (f"{KEYS},y,p\na,1,1,7,1,.2\nb,1,1,7,1,.2\nb,1,1,x,1,.3\n", r"line 4: model 'b' predicts row x of the only"),
        (
            "model,y,p\na,1,.2\na,0,.1\nb,1,.3\n",
            r"the only test set: model 'a' has 2 rows, model 'b' has 1: all models",
        ),
        ("model,seed,y,p\na,1,1,.2\na,2,0,.1\nb,1,1,.3\n", r"model 'b' has no predictions of seed 2, which model 'a'"),
        ("model,seed,y,p\na,1,1,.2\nb,1,1,.3\nb,2,1,.3\n", r"model 'a' has no predictions of seed 2, which model 'b'"),
        ("seed,fold,y,p\n1,1,1,.2\n1,2,1,.2\n2,1,1,.3\n", r"seed 1 has 2 folds, seed 2 has 1: .* same number of folds"),
    ],
)
def test_of_a_binary_table(tmp_path, text, message):
    refused(tmp_path, message, text)


@pytest.mark.parametrize(
    ("task", "text", "message"),
    [
        (
            "multiclass",
            "y,p_0,p_1,p_2\n1,.2,.3,.4\n",
            r"line 2: the probabilities of model 'a' \(p_0 .. p_2\) sum to 0.9,",
        ),
        ("multiclass", "y,p_0,p_1\n1,.2,.8\n", r"needs the column 'p_2'"),
        ("multiclass", "y,p_0,p_1,p_2\n3,.2,.3,.5\n", r"line 2: y is 3: none of the classes \[0, 1, 2\]"),
        ("regression", "y,mu\n1,2\n", r"needs the column 'var'"),
        ("regression", "y,mu,std\n1,2,-1\n", r"line 2: std is -1: a standard deviation must be >= 0"),
        ("regression", "y,mu:a,var:a,mu:b,vra:b\n1,2,1,3,1\n", r"column 'var:b' .*did you mean 'vra:b'"),
        ("regression", "y,mu,var\n1,2,-1\n", r"line 2: var is -1: a variance must be >= 0"),
        ("regression", "y,mu,var\ninf,2,1\n", r"line 2: y is inf: a finite number"),
        (
            "multivariate",
            "y_0,y_1,mu_0,mu_1,cov_0_0,cov_1_0,cov_1_1\n1,1,1,1,1,0,1\n1,1,1,1,1,2,1\n",
            r"line 3: cov of model 'a' has the eigenvalue -1, so it is no covariance matrix",
        ),
        (
            "multivariate",
            "y_0,y_1,mu_0,mu_1,cov_0_0,cov_1_0,cov_1_1\n1,1,1,1,1,0,-1\n",
            r"line 2: cov_1_1 is -1: a variance must be >= 0",
        ),
        ("multivariate", "y_0,mu_0,mu_1,cov_0_0,cov_1_0,cov_1_1\n1,1,1,1,0,1\n", r"needs the column 'y_1'"),
    ],
)
def test_of_other_tasks(tmp_path, task, text, message):
    refused(tmp_path, message, text, task=task)


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["seed,y,p\n1,1,.2\n", "y,p\n1,.2\n"], r"a\.csv has a column 'seed', .*b\.csv has none"),
        (
            ["model,y,p\nm,1,.2\n", "model,y,p\nm,1,.2\n"],
            r"model 'm', the only test set: rows in .*a\.csv and in .*b\.csv",
        ),
        (["y,p:m\n1,.2\n", "y,p:k\n0,.2\n"], r"the truth differs: .*a\.csv, line 2 says 1.0 .*b\.csv, line 2 says 0.0"),
        (
            ["row,y,p:m\n1,1,.2\n", "row,y,p:m\n1,1,.2\n"],
            r"row 1 is there twice, .*a\.csv, line 2 and .*b\.csv, line 2",
        ),
    ],
)
def test_of_several_files(tmp_path, texts, message):
    refused(tmp_path, message, *texts)


def test_widths_that_differ(tmp_path):
    three = "y,p_0,p_1,p_2\n1,.2,.3,.5\n"
    four = "y,p_0,p_1,p_2,p_3\n1,.2,.3,.3,.2\n"
    message = r"b\.csv: model 'b' predicts 4 classes, model 'a' of .*a\.csv predicts 3"
    refused(tmp_path, message, three, four, task="multiclass")


def test_places_in_parquet_files_count_rows(tmp_path):
    refused(tmp_path, r"a\.parquet, row 1: p is 1\.5", "y,p\n1,.2\n0,1.5\n", suffix="parquet")


def test_a_renamed_column_is_called_as_in_the_file(tmp_path):
    refused(tmp_path, r"line 2: prob is 2\.0: a probability", "y,prob\n1,2.0\n", columns=["p=prob"])


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (["p"], r"--column 'p': write NAME=COLUMN"),
        (["p:{modl}=prob_{modl}"], r"\{modl\} stands for nothing; known: \{model\}, \{j\}, \{k\}"),
        (["p:{model}=prob"], r"both sides must hold the same placeholders"),
        (["p=prbo"], r"no file has a column 'prbo': did you mean 'prob'"),
        (["p=prob", "p=other"], r"'prob' and 'other' are both read as 'p': leave out a --column"),
        (["p=prob", "y=prob"], r"'prob' is read as 'p' and as 'y': leave out a --column"),
    ],
)
def test_of_column_names(tmp_path, columns, message):
    refused(tmp_path, message, "y,prob,other\n1,.2,.3\n", columns=columns)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"labels": ["a", "b"]}, r"line 2: y is 1: not one of the classes \['a', 'b'\]"),
        ({"labels": ["a"]}, r"labels must name the 2 classes"),
        ({"side": ["prise"]}, r"--side prise: .*a\.csv has no such column: did you mean 'price'"),
        ({"side": ["p"]}, r"--side p: .* no such column"),
        ({"test_share": 1.5}, r"--test-share 1.5: a share between 0 and 1"),
    ],
)
def test_of_options(tmp_path, options, message):
    refused(tmp_path, message, "y,p,price\n1,.2,3\n", **options)


def test_files_that_are_none(tmp_path):
    path = written(long_table("binary"), tmp_path / "a.csv")
    for paths, message in (
        ([tmp_path / "b.csv"], "does not exist"),
        ([path, path], "given twice"),
        ([tmp_path / "b.xlsx"], "does not exist"),
    ):
        with pytest.raises(UserError, match=message):
            read_predictions(paths, "binary")


def test_side_information_that_differs_between_models(tmp_path):
    text = "model,row,y,p,price\na,1,1,.2,3\na,2,0,.2,3\nb,1,1,.2,3\nb,2,0,.2,4\n"
    refused(
        tmp_path, r"--side price: .*line 3 says 3 \(model 'a'\), .*line 5 says 4 \(model 'b'\)", text, side=["price"]
    )


def test_rank_deficient_covariances_and_float32_sums_are_accepted(tmp_path):
    text = "y_0,y_1,mu_0,mu_1,cov_0_0,cov_1_0,cov_1_1\n1,1,1,1,1,1,1\n1,1,1,1,0,0,0\n"
    (tmp_path / "a.csv").write_text(text)
    assert read_predictions([tmp_path / "a.csv"], "multivariate").by_model["a"][1].shape == (2, 2, 2)
    p = np.random.default_rng(0).dirichlet(np.ones(5), 500).astype(np.float32)
    frame = pd.DataFrame({"y": 0, **{f"p_{k}": p[:, k] for k in range(5)}})
    assert read_predictions([written(frame, tmp_path / "b.parquet")], "multiclass").width == 5
