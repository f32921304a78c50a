"""Energy Efficiency: heating and cooling load of simulated buildings."""

from __future__ import annotations

from uqalign.data.declare import Content, Dataset, Facts, LocalFile, uci
from uqalign.data.readers import excel

WORKBOOK = Content(
    "energy/ENB2012_data.xlsx",
    "0089fcffc1415e41e2ff63730cca5280efe54fc43d722dfde1b0aaa808e35dc4",
    76_189,
)
SOURCES = (LocalFile((WORKBOOK.at(),)), uci(242, "energy+efficiency", WORKBOOK.at("ENB2012_data.xlsx")))
READ = excel(columns=("X1", "X2", "X3", "X4", "X5", "X6", "X7", "X8", "Y1", "Y2"))
CITATION = (
    "Tsanas, Xifara (2012). Accurate quantitative estimation of energy performance of residential "
    "buildings using statistical machine learning tools. Energy and Buildings 49. doi:10.24432/C51307"
)

DATASETS = (
    Dataset(
        name="energy",
        task="regression",
        title="Energy Efficiency, heating load",
        sources=SOURCES,
        read=READ,
        target="Y1",
        drop=("Y2",),
        facts=Facts(rows=768, features=8, target_mean=(22.307195,), target_std=(10.083633,)),
        licence="CC BY 4.0",
        citation=CITATION,
        uci_id=242,
    ),
    Dataset(
        name="energy_2d",
        task="multivariate",
        title="Energy Efficiency, heating and cooling load",
        sources=SOURCES,
        read=READ,
        target=("Y1", "Y2"),
        facts=Facts(
            rows=768,
            features=8,
            target_mean=(
                22.307195,
                24.58776,
            ),
            target_std=(
                10.083633,
                9.50711,
            ),
        ),
        licence="CC BY 4.0",
        citation=CITATION,
        uci_id=242,
    ),
)
