"""Dry Bean: seven varieties from the shape of a bean in an image."""

from __future__ import annotations

from uqalign.data.declare import Content, Dataset, Facts, LocalFile, uci
from uqalign.data.readers import excel

WORKBOOK = Content(
    "dry_bean/Dry_Bean_Dataset.xlsx",
    "a9efa69741c6c5d95167c962a13da23a456f7e940402a5add12639790e01f714",
    3_043_341,
)
FEATURES = (
    "Area", "Perimeter", "MajorAxisLength", "MinorAxisLength", "AspectRation", "Eccentricity", "ConvexArea",
    "EquivDiameter", "Extent", "Solidity", "roundness", "Compactness", "ShapeFactor1", "ShapeFactor2",
    "ShapeFactor3", "ShapeFactor4",
)  # fmt: skip

DATASETS = (
    Dataset(
        name="dry_bean",
        task="multiclass",
        title="Dry Bean",
        sources=(
            LocalFile((WORKBOOK.at(),)),
            uci(602, "dry+bean+dataset", WORKBOOK.at("DryBeanDataset/Dry_Bean_Dataset.xlsx")),
        ),
        read=excel(columns=(*FEATURES, "Class")),
        target="Class",
        classes=("BARBUNYA", "BOMBAY", "CALI", "DERMASON", "HOROZ", "SEKER", "SIRA"),
        facts=Facts(
            rows=13_611,
            features=16,
            class_counts={
                "BARBUNYA": 1322,
                "BOMBAY": 522,
                "CALI": 1630,
                "DERMASON": 3546,
                "HOROZ": 1928,
                "SEKER": 2027,
                "SIRA": 2636,
            },
        ),
        licence="CC BY 4.0",
        citation="Koklu, Ozkan (2020). Multiclass classification of dry beans using computer vision and "
        "machine learning techniques. Computers and Electronics in Agriculture 174. doi:10.24432/C50S4B",
        uci_id=602,
    ),
)
