"""Facts and sections from files."""

import json

import pandas as pd
import pytest

from uqalign.files import FileError
from uqalign.report.facts import job_times, machine, runs
from uqalign.report.frames import FIT_COLUMNS, read_frames, write_frame
from uqalign.report.results import Files
from uqalign.report.sections.galleries import MOST_ROWS, Shelf, audit, caption_of, case_studies
from uqalign.report.words import cell, counted, duration


def test_files_are_told_by_their_place(tmp_path):
    names = ["results/tables/pooled_top_k.csv", "results/tables/ranks_top_k.csv", "results/audit/a.png"]
    files = Files([tmp_path / "results" / "old" / name for name in names])  # a folder above of the same name
    assert [p.name for p in files.below("tables", stem="pooled_")] == ["pooled_top_k.csv"]
    assert [p.name for p in files.below("audit")] == ["a.png"]
    assert files.shelf("tables", command="c").pictures == []


def test_runs_and_machine_come_from_the_records(tmp_path):
    assert runs(tmp_path).empty
    assert machine(tmp_path) == {}
    folder = tmp_path / "manifest"
    folder.mkdir()
    record = {
        "status": "complete", "started": "2026-01-02T00:00:00", "ended": "2026-01-02T00:01:00",
        "command": ["/usr/lib/snakemake", "--cores", "2"], "git": {"commit": "f" * 40, "changed": True},
        "machine": {"name": "host", "system": "Linux", "processor": "x86_64", "cores": 8, "memory_bytes": 2**33,
                    "gpus": ["A100"], "python": "3.11"},
    }  # fmt: skip
    (folder / "20260102T000000-1.json").write_text(json.dumps(record))
    (folder / "20260101T000000-1.json").write_text(json.dumps({**record, "git": {}, "status": "failed"}))
    (folder / "20260103T000000-1.json").write_text("{half a rec")
    found = runs(tmp_path)
    assert list(found["status"]) == ["complete", "failed"]
    assert list(found["commit"]) == ["ffffffffffff (changed)", ""]
    assert found["command"][0] == "snakemake --cores 2"
    told = machine(tmp_path)
    assert told["Memory"] == "8 GiB"
    assert told["GPUs"] == "A100"
    assert "host" not in " ".join(told.values())


def test_job_times_are_by_rule(tmp_path):
    assert job_times(tmp_path).empty
    head = "s\th:m:s\tmax_rss\n"
    for path, seconds, memory in (
        ("train/a/x.tsv", "10", "100"),
        ("train/a/y.tsv", "20", "NA"),
        ("once.tsv", "1", "5"),
    ):
        (tmp_path / "benchmarks" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "benchmarks" / path).write_text(f"{head}{seconds}\t0:0:1\t{memory}\n")
    table = job_times(tmp_path).set_index("rule")
    assert list(table.index) == ["train", "once"]
    assert table.loc["train", "jobs"] == 2
    assert table.loc["train", "median s"] == 15
    assert table.loc["train", "hours in all"] == pytest.approx(30 / 3600)
    assert table.loc["train", "largest memory MB"] == 100


def test_frames_of_another_kind_are_refused(tmp_path):
    assert list(read_frames([], "fits", FIT_COLUMNS).columns) == FIT_COLUMNS
    path = tmp_path / "fits.parquet"
    write_frame(path, pd.DataFrame([dict.fromkeys(FIT_COLUMNS, "a")]), "fits", FIT_COLUMNS, {})
    assert len(read_frames([path, path], "fits", FIT_COLUMNS)) == 2
    with pytest.raises(FileError, match="no file of curves"):
        read_frames([path], "curves", FIT_COLUMNS)


def test_captions_are_the_first_paragraph(tmp_path):
    page = tmp_path / "a.md"
    assert caption_of(page) == ""
    page.write_text("# Title\n\nFirst *line*,\nsecond.\n\n| a |\n")
    assert caption_of(page) == "First line, second."
    page.write_text("# Title\n\n- one\n- two\n\nText.\n")
    assert caption_of(page) == "Text."
    page.write_text("| a |\n| --- |\n")
    assert caption_of(page) == ""


def test_galleries_show_what_there_is(tmp_path):
    pd.DataFrame({"a_b": range(100)}).to_csv(tmp_path / "long.csv", index=False)
    pd.DataFrame({"a": []}).to_csv(tmp_path / "empty.csv", index=False)
    (tmp_path / "nothing.csv").write_text("")
    (tmp_path / "switches.png").write_bytes(b"\x89PNG")
    tables = [tmp_path / name for name in ("long.csv", "empty.csv", "nothing.csv")]
    section = audit(Shelf(tables, [tmp_path / "switches.png"], "snakemake audit"))
    assert [block.id for block in section.blocks] == ["audit-picture-switches", "audit-long"]
    table = section.blocks[1]
    assert list(table.frame.columns) == ["a b"]
    assert len(table.frame) == MOST_ROWS
    assert len(table.data) == 100
    assert f"first {MOST_ROWS} of 100" in table.caption


def test_a_case_study_is_drawn_by_its_settings(tmp_path):
    rows = [(arm, metric, 0.5 if metric == "nll" else -0.25) for arm in ("one", "two") for metric in ("nll", "brier")]
    frame = pd.DataFrame(rows, columns=["dataset", "metric", "median"]).assign(q05=-1.0, q95=1.0)
    frame.to_csv(tmp_path / "alignment.csv", index=False)
    pd.DataFrame({"arm": ["one"], "utility": [1.5]}).to_csv(tmp_path / "money.csv", index=False)
    shelf = Shelf([tmp_path / "alignment.csv", tmp_path / "money.csv"], [], "snakemake cases")
    section = case_studies({"loans": shelf}, {"loans": "Loans"}, {"loans": {"nll": "NLL", "brier": "Brier"}})
    chart, money = section.blocks
    assert chart.title == "Loans: alignment"
    assert "Highest mean: NLL, 0.50" in chart.alt
    assert money.id == "case-loans-money"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "yes"), (None, "--"), (float("nan"), "--"), (float("inf"), "infinite"), (0.0, "0"), (0.12345, "0.123"),
        (12345.6, "12,346"), (1234567, "1,234,567"), ("text", "text"), (-0.5, "-0.5"),
    ],
)  # fmt: skip
def test_cells_as_people_read_them(value, text):
    assert cell(value) == text


def test_counts_and_times():
    assert counted(1, "fit") == "1 fit"
    assert counted(2000, "fit") == "2,000 fits"
    assert [duration(s) for s in (0.5, 120, 7200)] == ["0.5 s", "2 min", "2 h"]
