"""One job per device: a lock file for each, held while a job runs.

A workflow engine counts devices but hands none out: two jobs with one device each both see them all. A job therefore
takes the first device whose lock is free. The operating system releases a lock when its process ends, however it ends.
Under Slurm each job sees its own devices only, and no lock is needed.
"""

from __future__ import annotations

import fcntl
import os
import re
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from uqalign.errors import UserError

POLL_SECONDS = 0.5


def visible_devices(environment: Mapping[str, str] | None = None, count: int | None = None) -> list[str]:
    """Names of the devices this process may use, in the order in which "cuda:0", "cuda:1" .. name them.

    Args:
        environment: default: this process's. CUDA_VISIBLE_DEVICES lists indices or identifiers, and ends at the
            first entry that is neither, as for CUDA itself.
        count: devices of the machine, where the variable is not set; default: as torch counts them.
    """
    listed = (os.environ if environment is None else environment).get("CUDA_VISIBLE_DEVICES")
    if listed is None:
        if count is None:
            import torch

            count = torch.cuda.device_count()
        return [str(number) for number in range(count)]
    names: list[str] = []
    for entry in (entry.strip() for entry in listed.split(",")):
        if not re.fullmatch(r"\d+|(GPU|MIG)-[\w/-]+", entry):
            break
        names.append(entry)
    return names


def _locked(path: Path) -> int | None:
    """A descriptor that holds the lock of `path`, or None if another process does."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    except PermissionError:  # another user's lock file, which can be locked all the same
        descriptor = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor


@contextmanager
def lease(
    devices: Sequence[str] | None = None,
    *,
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
    patience: float = float("inf"),
) -> Iterator[str]:
    """Hold one device and yield its name for torch, "cuda:N"; wait while all are taken.

    Args:
        devices: names of the visible devices; default: `visible_devices()`.
        folder: where the lock files lie; default: the machine's temporary folder.
        patience: seconds to wait.

    Raises:
        UserError: there is no device, or none became free in time.
    """
    environment = os.environ if environment is None else environment
    devices = visible_devices(environment) if devices is None else devices
    if not devices:
        raise UserError("no CUDA device is visible: check CUDA_VISIBLE_DEVICES, or choose the device cpu")
    if "SLURM_JOB_ID" in environment:
        yield "cuda:0"
        return
    folder = Path(tempfile.gettempdir()) if folder is None else folder
    deadline = time.monotonic() + patience
    while True:
        for number, device in enumerate(devices):
            descriptor = _locked(folder / f"uqalign-device-{device.replace('/', '_')}.lock")
            if descriptor is not None:
                try:
                    yield f"cuda:{number}"
                finally:
                    os.close(descriptor)
                return
        if time.monotonic() >= deadline:
            raise UserError(f"all {len(devices)} CUDA devices are in use by other jobs, also after {patience:g} s")
        time.sleep(POLL_SECONDS)


@contextmanager
def held_device(wanted: str) -> Iterator[str]:
    """The device of a job: "cpu", or "cuda:N" under a lease, for a wish of "auto", "cpu" or "cuda"."""
    from uqalign.training.device import choose_device

    if choose_device(wanted) == "cpu":
        yield "cpu"
    else:
        with lease() as device:
            yield device
