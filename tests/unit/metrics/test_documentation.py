"""The pages on metrics: every Python block runs, every picture exists and is drawn by the script."""

import importlib.util
import re
import warnings
from pathlib import Path

import pytest

from uqalign import metrics
from uqalign.metrics import curves

DOCS = Path(__file__).parents[3] / "docs" / "metrics"
PAGES = ["classical", "calibration", "retention", "curves", "scikit-learn"]


@pytest.mark.parametrize("page", PAGES)
def test_examples_run_in_order(page):
    blocks = re.findall(r"```python\n(.*?)```", (DOCS / f"{page}.md").read_text(encoding="utf-8"), re.DOTALL)
    assert blocks
    if page == "curves":
        pytest.importorskip("altair")
    if page == "scikit-learn":
        pytest.importorskip("torchmetrics")
    namespace = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        for number, block in enumerate(blocks, start=1):
            exec(compile(block, f"{page}.md, block {number}", "exec"), namespace)


def test_every_public_function_is_on_a_page():
    text = "".join((DOCS / f"{page}.md").read_text(encoding="utf-8") for page in PAGES)
    public = {name for name in metrics.__all__ if not name.endswith("Warning")}
    public |= {name for name in vars(curves) if name.endswith("_curve")}
    covered = {"multivariate_retention_auc", "multivariate_error_detection_auroc", "base_rate_forecast"}
    assert not {name for name in public - covered if f"`{name}" not in text and name not in text}


def test_pictures_are_those_of_the_script():
    pytest.importorskip("altair")
    spec = importlib.util.spec_from_file_location("curve_pictures", DOCS / "curve_pictures.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    shown = {
        name
        for page in PAGES
        for name in re.findall(r"\(img/(.+?)\.svg\)", (DOCS / f"{page}.md").read_text(encoding="utf-8"))
    }
    assert shown == set(script.PICTURES)
    for name, picture in script.PICTURES.items():
        assert (DOCS / "img" / f"{name}.svg").read_text(encoding="utf-8").startswith("<svg")
        assert picture().to_dict()["$schema"]
