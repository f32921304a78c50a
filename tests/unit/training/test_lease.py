"""Device leases with made-up devices."""

import subprocess
import sys
import time

import pytest

from uqalign.errors import UserError
from uqalign.training import lease as module
from uqalign.training.lease import held_device, lease, visible_devices

NOWHERE: dict[str, str] = {}


@pytest.mark.parametrize(
    ("listed", "expected"),
    [
        ("0,1", ["0", "1"]),
        (" 3 , 1", ["3", "1"]),
        ("", []),
        ("-1", []),
        ("0,-1,1", ["0"]),  # CUDA ignores what follows an invalid entry
        ("GPU-8932f937-d72c,GPU-ab", ["GPU-8932f937-d72c", "GPU-ab"]),
        ("MIG-GPU-89/1/0", ["MIG-GPU-89/1/0"]),
    ],
)
def test_visible_devices_are_those_of_the_variable(listed, expected):
    assert visible_devices({"CUDA_VISIBLE_DEVICES": listed}, 8) == expected


def test_without_the_variable_all_devices_are_visible():
    assert visible_devices({}, 3) == ["0", "1", "2"]


def test_each_job_gets_a_device_of_its_own(tmp_path):
    with lease(["4", "7"], folder=tmp_path, environment=NOWHERE) as first:
        with lease(["4", "7"], folder=tmp_path, environment=NOWHERE) as second:
            assert [first, second] == ["cuda:0", "cuda:1"]
            with (
                pytest.raises(UserError, match="all 2 CUDA devices are in use"),
                lease(["4", "7"], folder=tmp_path, environment=NOWHERE, patience=0),
            ):
                pass
        with lease(["4", "7"], folder=tmp_path, environment=NOWHERE) as third:
            assert third == "cuda:1"
    with lease(["4", "7"], folder=tmp_path, environment=NOWHERE) as fourth:
        assert fourth == "cuda:0"


def test_a_device_has_one_lock_wherever_it_stands_in_the_list(tmp_path):
    with (
        lease(["GPU-a/1"], folder=tmp_path, environment=NOWHERE),
        lease(["GPU-a/1", "GPU-b"], folder=tmp_path, environment=NOWHERE) as device,
    ):
        assert device == "cuda:1"


def test_a_job_waits_for_a_device(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "POLL_SECONDS", 0.01)
    code = (
        "import sys, time; from pathlib import Path; from uqalign.training.lease import lease\n"
        "with lease(['0'], folder=Path(sys.argv[1]), environment={}):\n"
        "    print('held', flush=True); time.sleep(0.5)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        start = time.monotonic()
        with lease(["0"], folder=tmp_path, environment=NOWHERE, patience=30) as device:
            assert device == "cuda:0"
            assert time.monotonic() - start > 0.1


def test_the_lock_of_a_killed_job_is_free(tmp_path):
    code = (
        "import sys, time; from pathlib import Path; from uqalign.training.lease import lease\n"
        "with lease(['0'], folder=Path(sys.argv[1]), environment={}):\n"
        "    print('held', flush=True); time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        other.stdout.readline()
        other.kill()
    with lease(["0"], folder=tmp_path, environment=NOWHERE, patience=5) as device:
        assert device == "cuda:0"


def test_an_error_in_the_job_frees_its_device(tmp_path):
    with pytest.raises(RuntimeError), lease(["0"], folder=tmp_path, environment=NOWHERE):
        raise RuntimeError
    with lease(["0"], folder=tmp_path, environment=NOWHERE, patience=0) as device:
        assert device == "cuda:0"


def test_under_slurm_no_lock_is_taken(tmp_path):
    with lease(["0"], folder=tmp_path, environment={"SLURM_JOB_ID": "17"}) as device:
        assert device == "cuda:0"
        assert list(tmp_path.iterdir()) == []


def test_without_devices_the_remedy_is_told(tmp_path):
    with (
        pytest.raises(UserError, match="CUDA_VISIBLE_DEVICES, or choose the device cpu"),
        lease([], folder=tmp_path, environment=NOWHERE),
    ):
        pass


def test_a_job_on_the_cpu_holds_nothing():
    with held_device("cpu") as device:
        assert device == "cpu"
