"""A page as somebody opens it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

DESKTOP, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}


@contextmanager
def opened(browser: Any, path: Path, size: dict[str, int] = DESKTOP, scheme: str = "light") -> Iterator[Any]:
    """The page, which may say nothing on the console and ask nothing of any network."""
    context = browser.new_context(viewport=size, color_scheme=scheme, reduced_motion="reduce", offline=True)
    page = context.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: said.append(f"error: {error}"))
    page.on("request", lambda request: said.append(request.url) if request.url.startswith("http") else None)
    page.set_default_timeout(10_000)
    page.goto(path.resolve().as_uri())
    yield page
    assert said == []
    context.close()


def settle(page: Any) -> None:
    """Wait until the charts in view are drawn."""
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    page.wait_for_function("document.documentElement.dataset.drawing === '0'")


def draw_all(page: Any, within: str = "main") -> list[str]:
    """Scroll past every chart of a part of the page that is not hidden; their ids."""
    names: list[str] = page.eval_on_selector_all(
        f"{within} [data-chart]", "all => all.filter(c => !c.closest('[hidden]')).map(c => c.dataset.chart)"
    )
    for name in names:
        page.evaluate("id => document.querySelector(`[data-chart=\"${id}\"]`).scrollIntoView({block: 'center'})", name)
        page.wait_for_selector(f'[data-chart="{name}"][data-drawn]', state="attached", timeout=20_000)
    settle(page)
    return names


def texts(page: Any, chart: str) -> list[str]:
    """All text of one chart."""
    return page.eval_on_selector_all(f'[data-chart="{chart}"] svg text', "all => all.map(t => t.textContent)")
