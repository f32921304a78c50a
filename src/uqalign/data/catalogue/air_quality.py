"""Air Quality: pollutant concentrations in an Italian city, hour by hour, from a low-cost sensor array."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, BinaryIO

from uqalign.data.declare import Content, Dataset, Facts, LocalFile, uci
from uqalign.data.readers import csv

if TYPE_CHECKING:
    import pandas as pd

ORIGINAL = Content(
    "air_quality/AirQualityUCI.csv",
    "13277ae5d8581e80b7be09d47c7d3d06fe9b8e957078f2cf6e859f955e62f996",
    785_065,
)
SOURCES = (LocalFile((ORIGINAL.at(),)), uci(360, "air+quality", ORIGINAL.at("AirQualityUCI.csv")))
CITATION = (
    "De Vito, Massera, Piga, Martinotto, Di Francia (2008). On field calibration of an electronic nose "
    "for benzene estimation in an urban pollution monitoring scenario. Sensors and Actuators B 129. "
    "doi:10.24432/C59K5F"
)


def hours(files: tuple[BinaryIO, ...]) -> pd.DataFrame:
    """The rows and columns that hold anything: the file ends in empty ones."""
    return csv(sep=";", decimal=",", usecols=list(range(15)))(files).dropna(how="all").reset_index(drop=True)


def measured(frame: pd.DataFrame, targets: tuple[str, ...]) -> pd.DataFrame:
    """-200 means not measured; rows without a target are dropped."""
    import numpy as np
    import pandas as pd

    hour = pd.to_datetime(frame["Date"] + " " + frame["Time"], format="%d/%m/%Y %H.%M.%S")
    values = frame.drop(columns=["Date", "Time"]).replace(-200, np.nan)
    return values.assign(hour=hour).dropna(subset=list(targets)).reset_index(drop=True)


DATASETS = (
    Dataset(
        name="air_quality",
        task="regression",
        title="Air Quality, carbon monoxide",
        sources=SOURCES,
        read=hours,
        clean=partial(measured, targets=("CO(GT)",)),
        target="CO(GT)",
        time="hour",
        facts=Facts(
            rows=7_674, features=12, raw_rows=9_357, missing=10_583, target_mean=(2.1527495,), target_std=(1.4531573,)
        ),
        licence="research use only (stated by the donors); CC BY 4.0 at UCI",
        citation=CITATION,
        uci_id=360,
        note="A time series: shuffled folds leak between neighbouring hours; `split: blocked` shows by how much.",
    ),
    Dataset(
        name="air_quality_3d",
        task="multivariate",
        title="Air Quality, three pollutants",
        sources=SOURCES,
        read=hours,
        clean=partial(measured, targets=("CO(GT)", "NOx(GT)", "NO2(GT)")),
        target=("CO(GT)", "NOx(GT)", "NO2(GT)"),
        time="hour",
        facts=Facts(
            rows=7_258,
            features=10,
            raw_rows=9_357,
            missing=9_258,
            target_mean=(
                2.2056352,
                255.36029,
                114.81193,
            ),
            target_std=(
                1.4581986,
                215.36478,
                48.240768,
            ),
        ),
        licence="research use only (stated by the donors); CC BY 4.0 at UCI",
        citation=CITATION,
        uci_id=360,
        note="A time series: shuffled folds leak between neighbouring hours; `split: blocked` shows by how much.",
    ),
)
