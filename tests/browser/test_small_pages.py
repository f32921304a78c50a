"""Pages of little: nothing is said on the console, nothing is drawn that is not there."""

from pathlib import Path

import pytest

from browser_reading import draw_all, opened
from report_contents import contents
from uqalign.report.page import build_page


@pytest.mark.parametrize("datasets", [1, 2])
def test_without_repeats(browser, tmp_path, datasets):
    path = Path(tmp_path / "index.html")
    path.write_text(build_page(contents(("binary",), seeds=1, datasets=datasets)), encoding="utf-8")
    with opened(browser, path) as page:
        drawn = draw_all(page)
        assert ("standing-top-k" in drawn) == (datasets == 2)
        assert page.locator("#choose-dataset").count() == (datasets == 2)
        if datasets == 2:
            marks = page.locator('[data-chart="standing-top-k"] svg .mark-symbol path').count()
            assert marks >= 6  # three models on two data sets, without lines
