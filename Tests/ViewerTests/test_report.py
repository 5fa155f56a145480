"""The report of `treelinemap compare`, with the style sheet of the sources."""

import re
import subprocess

import pytest

from conftest import PHONE, ROOT
from programs import program

SHEET = ROOT / "Sources/TreelineComparison/Report/HTML/report.css"


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    subprocess.run([program("TREELINE_TOOL"), "compare", ROOT / "Fixtures/cities.csv.gz", "--journey", "-o", path], check=True, capture_output=True)
    page = re.sub(r"(?<=<style>\n).*?(?=</style>)", lambda _: SHEET.read_text(), path.read_text(), flags=re.DOTALL)
    path.write_text(page)
    return path


@pytest.fixture
def open_report(new_context, report):
    def open_report(viewport):
        page = new_context(viewport=viewport).new_page()
        page.goto(report.as_uri())
        page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
        return page

    return open_report


def test_a_table_of_measures_can_be_read_on_a_phone(open_report):
    page = open_report(PHONE)
    cells = page.evaluate("""() => [...document.querySelector('.view table').rows].map((row) => [...row.cells].map((cell) => {
      const range = document.createRange();
      range.selectNodeContents(cell);
      const { left, right } = range.getBoundingClientRect();
      return { text: cell.textContent, width: cell.offsetWidth, left, right };
    }))""")
    for row in cells:
        assert all(one["right"] <= other["left"] for one, other in zip(row, row[1:]) if other["text"]), row
        assert all(cell["width"] > 30 for cell in row), row
    assert cells[0][-1]["text"] == "Better"
    # The first column stays in place while the table scrolls.
    left = page.evaluate("""() => {
      const table = document.querySelector('.view .table');
      table.scrollLeft = 1000;
      return [...table.querySelectorAll('th:first-child')].map((cell) => cell.getBoundingClientRect().left - table.getBoundingClientRect().left);
    }""")
    assert set(left) == {0}


def test_all_pictures_of_a_journey_fit_into_a_window_of_1280_pixels(open_report):
    page = open_report({"width": 1280, "height": 800})
    assert page.evaluate("(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('.strip'))") == 0
