"""The tour in a real JupyterLab reads as the golden files say, light and dark."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from tests.browser.lab import Lab
from tests.browser.tour import in_lab, read_page
from tests.tour.goldens import read


@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_the_tour_reads_the_same_in_lab(page: Page, lab: Lab, theme: str) -> None:
    shown = in_lab(page, lab, theme)
    assert {one.source: one.text for one in shown} == read("tour.txt")
    assert {one.source: one.html for one in shown} == read("tour.html")
    sources = [one.source for one in shown]
    assert dict(zip(sources, read_page(page), strict=True)) == read("lab.txt")
    assert page.get_by_text("Traceback").count() == 0
