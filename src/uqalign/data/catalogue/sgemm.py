"""SGEMM GPU Kernel Performance: run time of matrix products under many kernel parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO

from uqalign.data.declare import Content, Dataset, Facts, LocalFile, uci
from uqalign.data.readers import csv, skipped_rows

if TYPE_CHECKING:
    import pandas as pd

PRODUCT = Content(
    "sgemm/sgemm_product.csv",
    "b545b908c203eaa4d0b78c88e3a7196857efc34da3b6da9be774f017f2b5e960",
    14_353_701,
)
ROWS = 241_600
SAMPLE = 10_000
RUNS = tuple(f"Run{number} (ms)" for number in range(1, 5))


def uniform_sample(files: tuple[BinaryIO, ...]) -> pd.DataFrame:
    """10,000 rows drawn uniformly by RandomState(0), in file order; no others are parsed."""
    import numpy as np

    # The legacy generator is the one that drew the published sample.
    chosen = np.random.RandomState(0).choice(ROWS, SAMPLE, replace=False)
    frame = csv(skiprows=skipped_rows(ROWS, chosen.tolist(), header=1))(files)
    frame.attrs["raw_rows"] = ROWS
    return frame


def log_times(frame: pd.DataFrame) -> pd.DataFrame:
    """Natural logarithm of the run times in milliseconds."""
    import numpy as np

    logs = {f"log_run{number}": np.log(frame[run]) for number, run in enumerate(RUNS, start=1)}
    return frame.drop(columns=list(RUNS)).assign(**logs)


DATASETS = (
    Dataset(
        name="sgemm",
        task="multivariate",
        title="SGEMM GPU Kernel Performance, sample",
        sources=(
            LocalFile((PRODUCT.at("sgemm/sgemm_product_dataset.zip", "sgemm_product.csv"),)),
            uci(440, "sgemm+gpu+kernel+performance", PRODUCT.at("sgemm_product.csv")),
        ),
        read=uniform_sample,
        clean=log_times,
        target=("log_run1", "log_run2", "log_run3", "log_run4"),
        facts=Facts(
            rows=10_000,
            features=14,
            raw_rows=241_600,
            target_mean=(
                4.605203,
                4.6059373,
                4.6051721,
                4.6050051,
            ),
            target_std=(
                1.1222602,
                1.1215914,
                1.1220347,
                1.122095,
            ),
        ),
        licence="CC BY 4.0",
        citation="Nugteren, Codreanu (2015). CLTune: a generic auto-tuner for OpenCL kernels. MCSoC. "
        "doi:10.24432/C5MK70",
        uci_id=440,
        note="10,000 of 241,600 rows; logarithms of four runs of one kernel, which nearly coincide.",
    ),
)
