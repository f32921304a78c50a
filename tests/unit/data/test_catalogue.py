"""Readers and cleaning of the built-in data sets, where a mistake would not show in the counts."""

from __future__ import annotations

import gzip
import io
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from uqalign.data import readers
from uqalign.data.build import build_table
from uqalign.data.catalogue import air_quality, auto_mpg, covertype, credit, flare, heart, iris, sgemm, wine
from uqalign.data.facts import check_facts
from uqalign.data.levels import level_names


def files(*texts: str) -> tuple[io.BytesIO, ...]:
    return tuple(io.BytesIO(text.encode()) for text in texts)


def test_csv_stacks_files_and_knows_only_the_missing_it_is_told() -> None:
    read = readers.csv(names=("a", "b"), missing=["?"])
    frame = read(files("1,NA\n,?\n", "3,None\n"))
    assert frame["a"].tolist()[::2] == [1, 3]
    assert frame["b"].isna().tolist() == [False, True, False]
    assert frame.index.tolist() == [0, 1, 2]


def test_keel_files() -> None:
    text = "@relation x\n@attribute a real [0,1]\n@data\n1.5, <null>, u \n 2, ?,v\n"
    for body in (text, text.split("@data\n")[1]):
        frame = readers.keel(("a", "b", "c"))(files(body))
        assert frame["a"].tolist() == [1.5, 2.0]
        assert frame["b"].isna().all()
        assert frame["c"].tolist() == ["u", "v"]


def test_rounding_is_decimal_half_to_even() -> None:
    frame = readers.rounded(readers.csv(names=("a", "y"), dtype="str"), label="y")(
        files("0.5095,R\n0.0645,M\n-0.0005,R\n1,M\n")
    )
    assert frame["a"].tolist() == [0.51, 0.064, 0.0, 1.0]
    assert frame["y"].tolist() == ["R", "M", "R", "M"]


def test_a_fold_put_last_is_put_back() -> None:
    assert readers.fold_last_order(6, [1, 4]) == [0, 2, 3, 5, 1, 4]
    moved = "0\n2\n3\n5\n1\n4\n"
    frame = readers.one_fold_last(readers.csv(names=("a",)), rows=[1, 4])(files(moved))
    assert frame["a"].tolist() == [0, 1, 2, 3, 4, 5]


def test_skipped_rows_leave_the_chosen() -> None:
    text = "a\n" + "".join(f"{row}\n" for row in range(10))
    skip = readers.skipped_rows(10, [7, 2], header=1)
    assert readers.csv(skiprows=skip)(files(text))["a"].tolist() == [2, 7]


def test_integer_categories_survive_parquet(tmp_path: Path) -> None:
    """pandas #60491, #39838, #26616."""
    frame = pd.DataFrame({"c": pd.Categorical([3, 1, 3, None]), "s": pd.Categorical(["b", "a", None, "b"])})
    frame.to_parquet(tmp_path / "x.parquet")
    with (tmp_path / "x.parquet").open("rb") as file:
        again = readers.read_parquet((file,))
    assert isinstance(again["c"].dtype, pd.CategoricalDtype)
    assert isinstance(again["s"].dtype, pd.CategoricalDtype)
    assert level_names(again["c"]).tolist() == ["3", "1", "3", None]
    assert again["c"].cat.categories.tolist() == frame["c"].cat.categories.tolist() == [1, 3]
    assert level_names(again["s"]).tolist() == ["b", "a", None, "b"]
    with pytest.raises(ValueError, match="not a readable Parquet file"):
        readers.read_parquet(files("PAR?"))


def test_air_quality_reads_decimal_commas_and_minus_200() -> None:
    text = "Date;Time;CO(GT);" + ";".join(f"v{n}" for n in range(12)) + ";;\n"
    text += "10/03/2004;18.00.00;2,6;" + "-200;" * 12 + ";\n" + "11/03/2004;19.00.00;-200;" + "1;" * 12 + ";\n"
    text += ";" * 16 + "\n"
    frame = air_quality.hours(files(text))
    assert len(frame) == 2
    cleaned = air_quality.measured(frame, targets=("CO(GT)",))
    assert cleaned["CO(GT)"].tolist() == [2.6]
    assert cleaned["v0"].isna().all()
    assert cleaned["hour"].tolist() == [pd.Timestamp("2004-03-10 18:00")]


def test_heart_counts_any_narrowing() -> None:
    assert heart.narrowed(pd.DataFrame({"num": [0, 1, 4]}))["num"].tolist() == ["absent", "present", "present"]


def test_auto_mpg_reads_blanks_and_tabs() -> None:
    text = (
        '18.0   8   307.0   130.0   3504.   12.0   70  1\t"ford torino gt"\n25.0 4 98. ? 2046. 19 71 1\t"ford pinto"\n'
    )
    dataset = auto_mpg.DATASETS[0]
    table = build_table(dataset, dataset.read(files(text)))
    assert table.target.tolist() == [18.0]
    assert table.features.iloc[0].tolist() == [8, 307, 130, 3504, 12, 70, 1]


def test_flare_letters_follow_the_description() -> None:
    dataset = flare.DATASETS[0]
    text = "*** header ***\nA X X 1 3 1 1 1 1 1 0 0 0\nH K C 1 3 1 1 1 1 1 1 2 3\n"
    table = build_table(dataset, dataset.read(files(text)))
    assert table.features.iloc[:, :3].to_numpy().tolist() == [[0, 0, 0], [6, 5, 3]]
    assert table.target.tolist() == [[0, 0, 0], [1, 2, 3]]


def test_iris_has_fishers_values_from_every_source() -> None:
    from sklearn.datasets import load_iris

    bunch = load_iris()
    wrong = bunch.data.copy()
    wrong[34], wrong[37] = (4.9, 3.1, 1.5, 0.1), (4.9, 3.1, 1.5, 0.1)
    uci = "".join(
        ",".join(map(str, row)) + f",Iris-{bunch.target_names[code]}\n"
        for row, code in zip(wrong, bunch.target, strict=True)
    )
    table = build_table(iris.DATASETS[0], iris.corrected(files(uci)))
    np.testing.assert_array_equal(table.features.to_numpy(), bunch.data)
    np.testing.assert_array_equal(table.target, bunch.target)


def test_wine_cultivars_count_from_one() -> None:
    frame = pd.DataFrame({name: [1.0, 2.0] for name in wine.FEATURES}).assign(cultivar=[0, 2])
    assert wine.cultivars(frame)["cultivar"].tolist() == [1, 3]
    assert wine.cultivars(frame.assign(cultivar=[1, 3]))["cultivar"].tolist() == [1, 3]


def test_credit_drops_incomplete_shifted_and_extreme_rows() -> None:
    borrowers = pd.DataFrame({"": [1, 2], "y": [0, 1], "x": [1.0, None]})
    assert credit.complete_borrowers(borrowers).to_dict("list") == {"y": [0], "x": [1.0]}
    columns = [*credit.PAKDD_NUMERIC, *credit.PAKDD_CATEGORICAL]
    applications = pd.DataFrame({name: ["1"] * 5 for name in columns}).assign(
        PERSONAL_NET_INCOME=["100", "101", "9999", "10000", "N"], **{credit.PAKDD_TARGET: ["0", "1", "0", "1", "N"]}
    )
    assert credit.usable_applications(applications)["PERSONAL_NET_INCOME"].tolist() == ["101", "9999"]


def test_sgemm_takes_the_published_sample_and_logarithms() -> None:
    header = ",".join(["x", *sgemm.RUNS])
    text = header + "\n" + "".join(f"{row},1,1,1,{row + 1}\n" for row in range(sgemm.ROWS))
    frame = sgemm.log_times(sgemm.uniform_sample(files(text)))
    expected = np.sort(np.random.RandomState(0).choice(241_600, 10_000, replace=False))
    np.testing.assert_array_equal(frame["x"], expected)
    np.testing.assert_allclose(frame["log_run4"], np.log(expected + 1))
    assert list(frame) == ["x", "log_run1", "log_run2", "log_run3", "log_run4"]


MEASURE = """
import resource, sys
from uqalign.data.catalogue.covertype import stratified_sample
with open(sys.argv[1], "rb") as file:
    frame = stratified_sample((file,))
frame.to_parquet(sys.argv[2])
print(frame.attrs["raw_rows"], resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


def test_covertype_is_sampled_by_class_within_memory(tmp_path: Path) -> None:
    """A file of the size and the class counts of the original."""
    counts = dict(zip("1234567", (211_840, 283_301, 35_754, 2_747, 9_493, 17_367, 20_510), strict=True))
    labels = np.random.default_rng(0).permutation(np.repeat(list(counts), list(counts.values())))
    rest = ",0" * 53
    text = "\n".join(f"{row % 30_000}{rest},{label}" for row, label in enumerate(labels)) + "\n"
    (tmp_path / "covtype.gz").write_bytes(gzip.compress(text.encode(), compresslevel=1))
    command = [sys.executable, "-c", MEASURE, str(tmp_path / "covtype.gz"), str(tmp_path / "sample.parquet")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    raw_rows, megabytes = map(int, done.stdout.split())
    assert raw_rows == 581_012
    assert megabytes < 1500
    frame = pd.read_parquet(tmp_path / "sample.parquet")
    dataset = covertype.DATASETS[0]
    assert dataset.facts is not None
    check_facts(build_table(dataset, frame), dataset.facts, raw_rows=raw_rows)
    random, drawn = np.random.RandomState(0), []
    for label, count in counts.items():
        drawn.append(random.choice(np.flatnonzero(labels == label), round(count * 15_000 / 581_012), replace=False))
    np.testing.assert_array_equal(frame["elevation"], np.sort(np.concatenate(drawn)) % 30_000)
