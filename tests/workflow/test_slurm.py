"""The workflow on a real Slurm: one node on this machine, with two made-up GPUs.

`tests/slurm/one_node.sh install` (as root) installs what it needs; UQALIGN_TEST_SLURM=1 asks for these tests,
which take the machine's cores for minutes.
"""

import fcntl
import os
import re
import signal
import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from workflow_project import CONFIG, ROOT, Project

SCRIPT = ROOT / "tests/slurm/one_node.sh"
IMPATIENT = str(ROOT / "tests/slurm/impatient.py")
CACHES = "results/predictions/binary/toy"

MINE = """\
import os
import time
from pathlib import Path
import numpy as np
from uqalign.models.base import Model

def half(problem):
    return (np.full(len(problem.test), 0.5),)

def rising(problem):
    return (np.linspace(0, 1, len(problem.test)),)

def gpu(problem):
    meeting = Path("meeting")
    meeting.mkdir(exist_ok=True)
    (meeting / os.environ["SLURM_JOB_ID"]).write_text(os.environ["CUDA_VISIBLE_DEVICES"])
    wanted = int(Path("expected").read_text())
    while len(list(meeting.iterdir())) < wanted:  # jobs that run at the same time need devices of their own
        time.sleep(0.1)
    return rising(problem)

def stuck(problem):
    prediction = gpu(problem)
    if not Path("was-stuck").exists():
        Path("was-stuck").touch()
        time.sleep(600)
    return prediction

def hungry(problem):
    block = np.ones(150_000_000)
    time.sleep(5)  # long enough to be noticed
    return half(problem)

def slow(problem):
    with open("started", "a") as file:
        file.write("once\\n")
    while not Path("go").exists():
        time.sleep(0.1)
    return half(problem)

def model(fit, **more):
    name = fit.__name__
    return Model(name=name, title=name, tasks=frozenset({"binary"}), fit_predict=fit, distribution="p", **more)

HUNGRY, SLOW = model(hungry), model(slow)
GPU, STUCK = (model(fit, devices=("cpu", "cuda")) for fit in (gpu, stuck))
"""


def command(*arguments: str) -> str:
    return subprocess.run(arguments, text=True, capture_output=True, check=True, timeout=60).stdout


@pytest.fixture
def cluster(tmp_path):
    """A running Slurm, one at a time on this machine; the folder of its process ids and logs."""
    if "UQALIGN_TEST_SLURM" not in os.environ:
        pytest.skip("a real Slurm is not asked for: UQALIGN_TEST_SLURM=1")
    folder = tmp_path / "slurm"
    with (Path(tempfile.gettempdir()) / "uqalign-test-slurm.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            done = subprocess.run([SCRIPT, "start", folder], text=True, capture_output=True, check=False)
            if done.returncode == 3:
                pytest.skip(f"no Slurm: {done.stderr.strip()}")
            assert done.returncode == 0, done.stderr
            yield folder
        finally:
            subprocess.run([SCRIPT, "stop", folder], check=False)
            # What ran on a node that was killed lives on, with nobody to end it.
            subprocess.run(["pkill", "-KILL", "-f", str(tmp_path)], check=False)


def impatient(project: Project, folder: Path) -> Project:
    """A copy of a project whose Snakemake does not let Slurm wait."""
    return replace(project.copy(folder), launcher=(IMPATIENT,))


def my_profile(project, *, arrays=False, gres=False, tight=False) -> tuple[str, ...]:
    """The profile as a newcomer changes it: four lines, and the variants it offers; with tight limits if asked."""
    text = (project.folder / "profiles/slurm/profile.yaml").read_text()

    def replace(pattern: str, by: str) -> None:
        nonlocal text
        text, count = re.subn(pattern, by, text, count=1, flags=re.MULTILINE)
        assert count == 1, pattern

    replace(r"slurm_account: .*\(1\).*$", "slurm_account: test")
    replace(r"slurm_partition: .*\(2\).*$", "slurm_partition: cpu")
    replace(r"slurm_partition: .*\(3\).*$", "slurm_partition: \"'gpu'\"")
    replace(r"^jobs: .*\(4\).*$", "jobs: 20")
    if arrays:
        replace(r"^jobs: 20\nmax-jobs-per-timespan: .*\nresources:\n  - gpu=.*\n", "")
        for key in ("jobs", "slurm-array-jobs", "slurm-array-limit"):
            replace(rf"^# ({key}: )", r"\1")
    if gres:
        for key in ("gpu", "gres"):
            replace(rf"^    # ({key}: )", r"    \1")
    if tight:
        replace(r"^set-resources:\n", r"\g<0>  train:\n    mem_mb: attempt * 1300\n")
        replace(r"^  train_gpu:\n", r"\g<0>    runtime: attempt * 1\n")
    file = project.folder / "profiles/mine/profile.yaml"
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    return (
        "--workflow-profile",
        "profiles/mine",
        "--slurm-init-seconds-before-status-checks",
        "2",
        "--latency-wait",
        "5",
    )


def finished_jobs() -> pd.DataFrame:
    """Every job that Slurm remembers."""
    form = "%i|%T|%P|%m|%l|%b|%k"
    rows = [
        line.split("|") for line in command("squeue", "--noheader", "--states=all", f"--format={form}").splitlines()
    ]
    return pd.DataFrame(rows, columns=["id", "state", "partition", "memory", "time", "gres", "comment"])


def test_the_workflow_runs_with_gpus_and_retries(cluster, fresh, tmp_path):
    project = impatient(fresh, tmp_path / "project")
    (project.folder / "mine.py").write_text(MINE)
    # These GPUs are made up: take the place of torch, which would not find them.
    project.edit("src/uqalign/training/lease.py", 'if choose_device(wanted) == "cpu"', 'if wanted == "cpu"')
    models = "constant, 'mine:HUNGRY', 'mine:GPU', 'mine:STUCK'"
    project.configure(f"datasets: [toy.yaml]\nmodels: [{models}]\nseeds: 1\nfolds: 2\ndevice: cuda\n")
    (project.folder / "expected").write_text("2")
    target = "results/tables/alignment_top_k.csv"
    # hungry needs 1.2 GB beside the program itself; stuck hangs, once, beyond a minute.
    project.snakemake(target, *my_profile(project, tight=True))
    assert project.planned(target) == {}

    jobs = finished_jobs()
    jobs["rule"] = jobs["comment"].str.extract(r"rule_(\w+?)(?:_wildcards|$)")
    assert set(jobs.loc[jobs["rule"] == "train_gpu", "partition"]) == {"gpu"}
    assert set(jobs.loc[jobs["rule"] != "train_gpu", "partition"]) == {"cpu"}
    # Too little memory at first, enough at the second attempt.
    cpu = jobs[jobs["rule"] == "train"]
    assert len(cpu) == 3
    good = cpu["state"] == "COMPLETED"
    assert sorted(cpu.loc[good, "memory"]) == ["1300M", "2600M"]
    assert list(cpu.loc[~good, "memory"]) == ["1300M"]
    logs = [path.read_text() for path in (project.folder / ".snakemake/slurm_logs/rule_train").rglob("*.log")]
    assert len(logs) == 1  # of the job that failed only
    assert "exceeded memory limit" in logs[0]
    # A minute at first, more when it is sent again.
    gpu = jobs[jobs["rule"] == "train_gpu"]
    assert set(gpu["state"]) == {"COMPLETED", "TIMEOUT"}
    assert "1:00" in set(gpu.loc[gpu["state"] == "TIMEOUT", "time"])
    assert set(gpu.loc[gpu["state"] == "COMPLETED", "time"]) & {"2:00", "3:00"}
    # Two jobs at a time had a device of their own each.
    assert {path.read_text() for path in (project.folder / "meeting").iterdir()} == {"0", "1"}

    again = project.copy(tmp_path / "again")
    for stage in ("predictions", "scores", "alignment", "tables"):
        subprocess.run(["rm", "-r", again.folder / f"results/{stage}"], check=True)
    again.snakemake(target, CUDA_VISIBLE_DEVICES="0", SLURM_JOB_ID="0")
    assert again.tables()["alignment_top_k.csv"] == project.tables()["alignment_top_k.csv"]


def test_an_array_is_one_submission(cluster, finished, tmp_path):
    project = impatient(finished, tmp_path / "project")
    paths = [f"{CACHES}/{model}/seeds-000-001/folds-1-2.parquet" for model in ("logreg", "constant")]
    before = [pd.read_parquet(project.folder / path) for path in paths]
    for path in paths:
        (project.folder / path).unlink()
    project.snakemake(*paths, *my_profile(project, arrays=True))
    jobs = finished_jobs()
    assert list(jobs["state"]) == ["COMPLETED"] * 2
    assert sorted(jobs["id"].str.partition("_")[2]) == ["1", "2"]
    assert jobs["id"].str.partition("_")[0].nunique() == 1
    for path, frame in zip(paths, before, strict=True):
        pd.testing.assert_frame_equal(pd.read_parquet(project.folder / path), frame)


def running() -> list[str]:
    return command("squeue", "--noheader", "--states=running", "--format=%i").split()


def test_killed_jobs_nodes_and_snakemakes_lose_nothing(cluster, finished, tmp_path):
    project = impatient(finished, tmp_path / "project")
    (project.folder / "mine.py").write_text(MINE)
    project.configure(CONFIG.replace("constant", "'mine:SLOW'"))
    undisturbed = project.copy(tmp_path / "undisturbed")
    starts = project.folder / "started"

    def begun(times: int):
        return lambda: starts.exists() and len(starts.read_text().split()) >= times

    profile = my_profile(project)
    run = project.start("predictions", *profile, log="first.log")
    project.wait_for(begun(1), "first start")
    run.kill()
    run.wait()
    assert len(running()) == 1  # what it had submitted runs on
    # What the page for newcomers says to do.
    page = (ROOT / "profiles/README.md").read_text()
    remedy = re.search(r"```sh\n(scancel --name .*?--unlock --cores 1)\n", page, re.DOTALL)
    done = project.command("bash", "-c", remedy[1].replace(".venv/bin/snakemake", "snakemake"))
    assert done.returncode == 0, done.stdout
    project.wait_for(lambda: not running(), "end of the cancelled job")

    run = project.start("predictions", *profile, "--retries", "3", log="second.log")
    project.wait_for(begun(2), "second start")
    command("scancel", *running())
    project.wait_for(begun(3), "start after scancel")
    daemon = int((cluster / "run/slurmd.pid").read_text())
    os.kill(daemon, signal.SIGKILL)
    project.wait_for(lambda: "NODE_FAIL" in (project.folder / "second.log").read_text(), "report of the lost node")
    subprocess.run([SCRIPT, "slurmd", cluster], check=True)
    (project.folder / "go").touch()
    assert run.wait(timeout=600) == 0, (project.folder / "second.log").read_text()
    states = finished_jobs()["state"].value_counts().to_dict()
    assert states == {"CANCELLED": 2, "NODE_FAIL": 1, "COMPLETED": 1}

    project.snakemake("tables")
    assert project.planned("tables") == {}
    (undisturbed.folder / "go").touch()
    undisturbed.snakemake("tables")
    assert project.tables() == undisturbed.tables()


def test_gpus_by_gres(cluster, finished, tmp_path):
    project = impatient(finished, tmp_path / "project")
    (project.folder / "mine.py").write_text(MINE)
    project.edit("src/uqalign/training/lease.py", 'if choose_device(wanted) == "cpu"', 'if wanted == "cpu"')
    project.configure(CONFIG.replace("mlp", "'mine:GPU'") + "device: cuda\n")
    (project.folder / "expected").write_text("1")
    project.snakemake(f"{CACHES}/gpu/seeds-000-001/folds-1-2.parquet", *my_profile(project, gres=True))
    job = finished_jobs().iloc[-1]
    assert (job["state"], job["partition"], job["gres"]) == ("COMPLETED", "gpu", "gres:gpu:1")
    assert [path.read_text() for path in (project.folder / "meeting").iterdir()] == ["0"]


def test_a_node_without_the_package_is_told_and_a_rerun_completes(cluster, finished, tmp_path):
    project = impatient(finished, tmp_path / "project")
    path = f"{CACHES}/constant/seeds-000-001/folds-1-2.parquet"
    (project.folder / path).unlink()
    bare = tmp_path / "bare"
    bare.mkdir()
    # On the node, and only there, the package cannot be found.
    (bare / "sitecustomize.py").write_text(
        "import os, sys\nif 'SLURM_JOB_ID' in os.environ:\n    sys.modules['uqalign'] = None\n"
    )
    profile = my_profile(project)
    output = project.snakemake(
        path, *profile, "--retries", "0", ok=False, PYTHONPATH=f"{bare}:{project.folder / 'src'}"
    )
    assert "ModuleNotFoundError" in output
    assert "uqalign" in output
    assert not (project.folder / path).exists()
    before = project.tables()
    project.snakemake("tables", path)
    assert project.tables() == before


def test_another_scheduler_by_its_commands(cluster, finished, tmp_path):
    project = impatient(finished, tmp_path / "project")
    path = f"{CACHES}/constant/seeds-000-001/folds-1-2.parquet"
    before = pd.read_parquet(project.folder / path)
    (project.folder / path).unlink()
    generic = ("--workflow-profile", "profiles/cluster-generic", "--seconds-between-status-checks", "1")
    project.snakemake(path, *generic, "--latency-wait", "5")
    job = finished_jobs().iloc[-1]
    assert (job["state"], job["partition"], job["memory"], job["time"]) == ("COMPLETED", "cpu", "3000M", "4:00:00")
    pd.testing.assert_frame_equal(pd.read_parquet(project.folder / path), before)
    assert list((project.folder / "results/logs/cluster").glob("*.log"))
