"""The page in a real Chromium: how it looks, what it asks for, and what happens when a reader clicks."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
from axe_core_python.selenium import Axe
from browsing import WHY_NOT, Browser, browsing
from graded import write_group
from page.groups import benchmark_group, hostile_group
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from waiting import wait_for

from mlebench.competition.registry import registry
from mlebench.page.document import write_page

pytestmark = [
    pytest.mark.once,
    pytest.mark.skipif(WHY_NOT is not None, reason=str(WHY_NOT)),
    pytest.mark.xdist_group("the page in a browser"),  # which takes as long to start as most tests take
]
LOW = registry.split("low")
MEDAL = {"any_medal": True, "gold_medal": True, "above_median": True}
# Text whose contrast with what is behind it is lower than WCAG AA asks for, as "text: ratio".
CONTRAST = """
const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
const rgba = (colour) => {
  canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
  return Array.from(canvas.getImageData(0, 0, 1, 1).data);
};
const light = (colour) => colour.slice(0, 3).map((each) => each / 255)
  .map((each) => each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4)
  .reduce((sum, each, place) => sum + each * [0.2126, 0.7152, 0.0722][place], 0);
const behind = (node) => {
  for (; node; node = node.parentElement) {
    const colour = rgba(getComputedStyle(node).backgroundColor);
    if (colour[3] === 255) return colour;
  }
  return [255, 255, 255, 255];
};
const found = [];
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
for (let node; (node = walker.nextNode());) {
  const parent = node.parentElement, style = getComputedStyle(parent);
  if (!node.textContent.trim() || !parent.checkVisibility() || /title|script/i.test(parent.tagName)) continue;
  const front = rgba(parent instanceof SVGElement ? style.fill : style.color), back = behind(parent);
  const [high, low] = [light(front), light(back)].sort((a, b) => b - a);
  const ratio = (high + 0.05) / (low + 0.05);
  const large = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.66 && style.fontWeight >= 700);
  if (ratio < (large ? 3 : 4.5)) found.push(`${node.textContent.trim().slice(0, 40)}: ${ratio.toFixed(2)}`);
}
return found;
"""
# Elements that reach over the right border of the window.
TOO_WIDE = """
return Array.from(document.querySelectorAll("body *")).filter((each) => each.checkVisibility()
  && !each.classList.contains("skip") && !each.closest(".standing, .wide") // which are scrolled within their boxes
  && each.getBoundingClientRect().right > innerWidth + 1)
  .map((each) => `${each.tagName} ${each.className} ${each.textContent.slice(0, 40)}`).slice(0, 5);
"""
# Texts of cards that reach over the border of their card.
CUT = """
return Array.from(document.querySelectorAll(".card strong, .card dd > span")).filter((each) =>
  Math.max(each.getBoundingClientRect().right, each.getBoundingClientRect().left + each.scrollWidth)
    > each.closest(".card").getBoundingClientRect().right).map((each) => each.textContent);
"""
# Marks of charts whose contrast with the section behind them is lower than 3 to 1.
MARKS = (
    CONTRAST.split("const found")[0]
    + """
const found = new Set();
const marks = ["svg .dot", "svg .bar", "svg .threshold", "svg .humans", "svg .score-line", ".key"];
for (const each of document.querySelectorAll(marks.join())) {
  const style = each.classList.contains("key") ? getComputedStyle(each, "::before") : getComputedStyle(each);
  const colours = each.classList.contains("key") ? [style.getPropertyValue("border-top-color")]
    : each.tagName === "path" ? [style.stroke] : [style.fill, style.stroke].filter((one) => one !== "none");
  if (each.classList.contains("key") && !each.className.includes("line-")) continue;
  const ratio = Math.max(...colours.map((colour) => {
    const [high, low] = [light(rgba(colour)), light(behind(each))].sort((a, b) => b - a);
    return (high + 0.05) / (low + 0.05);
  }));
  if (ratio < 3) found.add(`${each.parentElement.getAttribute("class")} ${colours}: ${ratio.toFixed(2)}`);
}
return Array.from(found);
"""
)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browsing(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two agents on seven competitions, one of them with snapshots, medals and failures."""
    folder = tmp_path_factory.mktemp("groups")

    def left(place: Path, record: object) -> None:
        (place / "agent.log").write_text("all is well\n" * 3, encoding="utf-8")
        (place / "code" / "train.py").write_text("import os  # all of it\n", encoding="utf-8")

    def report_of(competition_id: str, seed: int) -> dict[str, float | bool]:
        score = {"score": 0.5 + 0.01 * LOW.index(competition_id) + seed / 1000}
        return {**score, **MEDAL} if competition_id == LOW[1] else {**score}

    one = write_group(folder / "one", LOW[:7], (0, 1), agent="one", left=left, report_of=report_of, graded=True)
    two = write_group(folder / "two", LOW[:7], (0, 1), agent="two", network="full", promised=("a promise",))
    reports = json.loads(next(one.glob("*grading_report*")).read_text())["competition_reports"]
    entries = [{"seconds": 600 * step, "score": 0.1 * step, "medal": None} for step in range(1, 5)]
    (one / "snapshots.json").write_text(json.dumps({each["run_id"]: entries for each in reports}), encoding="utf-8")
    return write_page(folder / "page.html", [one, two], registry)


def rows(browser: Browser) -> list[str]:
    """The competitions of the rows of the matrix that are shown."""
    script = """return Array.from(document.querySelectorAll(".matrix tbody tr:not(.in-place)"))
      .filter((row) => row.checkVisibility()).map((row) => row.cells[0].innerText.trim())"""
    found: list[str] = browser.ask(script)
    return found


def test_the_whole_benchmark_fits(browser: Browser, tmp_path: Path) -> None:
    """225 runs are at most 2 MB, fit on a phone, and open without a complaint or a request."""
    seeds = 3
    page = write_page(tmp_path / "page.html", [benchmark_group(tmp_path / "group", seeds)], registry)
    assert page.stat().st_size <= 2_000_000
    browser.complaints(), browser.requests()
    for width in (360, 1280):
        browser.open(page, width=width)
        assert browser.ask("return document.documentElement.scrollWidth") <= width
        assert browser.ask(TOO_WIDE) == []
    assert len(rows(browser)) == 75
    assert browser.ask("return document.querySelectorAll('.matrix .cells a').length") == 75 * seeds
    assert browser.ask("return document.documentElement.scrollHeight") < 12_000
    assert browser.complaints() == []
    assert {each.split("#")[0] for each in browser.requests()} == {page.as_uri()}


@pytest.mark.parametrize("width", [360, 768, 1000, 1280])
def test_nothing_is_wider_than_the_window(browser: Browser, page: Path, width: int) -> None:
    browser.open(page, width=width)
    browser.ask("for (const each of document.querySelectorAll('details')) each.open = true")
    assert browser.ask("return document.documentElement.scrollWidth") <= width
    assert browser.ask(TOO_WIDE) == []
    browser.ask(
        "for (const each of document.querySelectorAll('.card.first strong')) each.textContent = arguments[0]",
        "100.00 ± 10.00 %",
    )
    assert browser.ask(CUT) == []


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_contrast(browser: Browser, page: Path, dark: bool) -> None:
    browser.open(page, dark=dark)
    browser.ask("for (const each of document.querySelectorAll('details')) each.open = true")
    assert browser.ask(CONTRAST) == []
    assert browser.ask(MARKS) == []


def test_accessibility(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.ask("for (const each of document.querySelectorAll('#provenance details')) each.open = true")
    browser.ask("document.querySelector('.matrix .cells a').click()")
    # Contrast has a test of its own, which is much quicker and looks at charts too. The options become JavaScript.
    options = {
        "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "best-practice"],
        "rules": {"color-contrast": {"enabled": 0}},
    }
    found = Axe().run(browser.driver, options=options)
    assert len(found["passes"]) > 15
    assert [(each["id"], each["nodes"][0]["html"][:200]) for each in found["violations"]] == []


def test_tables_are_sorted_and_filtered(browser: Browser, page: Path) -> None:
    browser.open(page)
    driver = browser.driver
    driver.find_element(By.CSS_SELECTOR, "#lite thead th:nth-child(3) button").click()
    below = (
        "return Array.from(document.querySelector('#lite table').rows).slice(-2).map((row) => row.cells[1].innerText)"
    )
    assert browser.ask(below) == ["mean ± SE"] * 2, "means stay below what they are of"
    driver.find_element(By.CSS_SELECTOR, "#humans details summary").send_keys(Keys.ENTER)
    charts = driver.find_element(By.CSS_SELECTOR, "#humans .filter input")
    charts.send_keys(LOW[2])
    shown = (
        "return Array.from(document.querySelectorAll('#humans figure[data-name]'))"
        ".filter((each) => each.checkVisibility()).length"
    )
    assert browser.ask(shown) == 1
    assert browser.complaints() == []


def test_the_matrix_is_sorted_grouped_and_filtered_and_the_address_keeps_it(browser: Browser, page: Path) -> None:
    browser.open(page)
    driver = browser.driver
    before = rows(browser)
    assert len(before) == 7
    heading = driver.find_element(By.XPATH, "//div[contains(@class, 'matrix')]//th[contains(., 'difference')]")
    heading.find_element(By.TAG_NAME, "button").send_keys(Keys.ENTER)
    assert heading.get_attribute("aria-sort") == "descending"
    means = (
        "return Array.from(document.querySelectorAll('.matrix tbody tr')).map((row) => Number(row.lastChild.dataset.n))"
    )
    differences = browser.ask(means)
    assert differences == sorted(differences, reverse=True)
    driver.find_element(By.NAME, "outcome").send_keys("gold")
    assert rows(browser) == [LOW[1]]
    assert driver.find_element(By.CSS_SELECTOR, ".facets output").text == "2 of 28 runs"
    driver.find_element(By.NAME, "by").send_keys("complexity")
    assert rows(browser) == ["low", LOW[1]], "a group of rows has a heading"
    assert "outcome=gold" in driver.current_url
    driver.refresh()
    assert rows(browser) == ["low", LOW[1]], "the address is enough to see the same"
    browser.open(page)
    assert rows(browser) == before


def test_the_matrix_is_exported(browser: Browser, page: Path, tmp_path: Path) -> None:
    browser.open(page)
    browser.driver.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)})
    for kind, start in (("csv", b"\xef\xbb\xbfcompetition,"), ("svg", b"<svg "), ("png", b"\x89PNG")):
        browser.driver.find_element(By.CSS_SELECTOR, f"[data-export={kind}]").click()
        # The name is there before the content.
        wait_for(lambda kind=kind: any(made.stat().st_size for made in tmp_path.glob(f"*.{kind}")))  # type: ignore[misc]
        (made,) = tmp_path.glob(f"*.{kind}")
        assert made.read_bytes().startswith(start)
    (table,) = tmp_path.glob("*.csv")
    with table.open(encoding="utf-8-sig", newline="") as file:
        exported = list(csv.DictReader(file))
    assert len(exported) == 28
    golden = [row for row in exported if row["outcome"] == "gold"]
    assert [(row["competition"], row["agent"], row["seed"], row["score"]) for row in golden] == [
        (LOW[1], "one", str(seed), f"{0.51 + seed / 1000:g}") for seed in (0, 1)
    ]
    drawn = ElementTree.parse(next(tmp_path.glob("*.svg"))).getroot()
    texts = [text.text for text in drawn.iter("{http://www.w3.org/2000/svg}text")]
    assert set(LOW[:7]) | {"one", "two"} <= set(texts)
    boxes = [box for box in drawn.iter("{http://www.w3.org/2000/svg}rect") if box.get("rx")]
    assert len(boxes) == 28, "a box per run"
    sized = next(tmp_path.glob("*.png")).read_bytes()[16:24]
    width, height = (int.from_bytes(part, "big") for part in (sized[:4], sized[4:]))
    assert (width, height) == tuple(2 * round(float(drawn.attrib[name])) for name in ("width", "height"))
    assert browser.complaints() == []


def test_a_run_opens_where_it_is_clicked_and_has_an_address(browser: Browser, page: Path) -> None:
    browser.open(page)
    driver = browser.driver
    link = driver.find_element(By.CSS_SELECTOR, ".matrix .cells a")
    anchor = str(link.get_attribute("href")).split("#")[1]
    link.send_keys(Keys.ENTER)
    run = driver.find_element(By.ID, anchor)
    assert run.is_displayed()
    assert run.find_element(By.XPATH, "ancestor::tr/preceding-sibling::tr[1]").text.startswith(rows(browser)[0])
    assert driver.current_url.endswith(f"#{anchor}")
    run.find_element(By.CSS_SELECTOR, "details.log summary").click()
    assert "all is well" in run.find_element(By.TAG_NAME, "pre").text
    run.find_element(By.CSS_SELECTOR, "details.log input").send_keys("IS WELL")
    assert run.find_element(By.CSS_SELECTOR, "details.log [role=status]").text == "3 of 3 lines"
    run.find_element(By.CSS_SELECTOR, "details.code summary").click()
    assert run.find_element(By.CSS_SELECTOR, ".source .k").text == "import", "code is highlighted"
    driver.refresh()
    assert driver.find_element(By.ID, anchor).is_displayed()
    for name, content in (("agent.log", "all is well"), ("submission.csv", None), ("run.json", '"run_id"')):
        target = str(driver.find_element(By.ID, anchor).find_element(By.LINK_TEXT, name).get_attribute("href"))
        if content is None:
            continue  # a browser saves it instead of showing it
        driver.get(target)
        assert content in driver.find_element(By.TAG_NAME, "body").text
        driver.back()
    driver.find_element(By.ID, anchor).find_element(By.LINK_TEXT, "Close").send_keys(Keys.ENTER)
    assert not driver.find_element(By.ID, anchor).is_displayed()
    assert browser.ask("return document.activeElement.closest('.matrix') !== null"), "the keyboard is where it was"


def test_light_and_dark(browser: Browser, page: Path) -> None:
    colour = "return getComputedStyle(document.body).backgroundColor"
    browser.open(page, dark=False)
    light = browser.ask(colour)
    browser.driver.find_element(By.ID, "theme").click()
    dark = browser.ask(colour)
    assert dark != light
    browser.open(page, dark=False)
    assert browser.ask(colour) == dark, "the choice is kept"
    browser.driver.find_element(By.ID, "theme").click()
    assert browser.ask(colour) == light
    browser.ask("localStorage.clear()")
    browser.open(page, dark=True)
    assert browser.ask(colour) == dark, "the system decides where nobody chose"


def test_it_prints(browser: Browser, page: Path) -> None:
    browser.open(page, dark=True, media="print")
    assert browser.ask("return getComputedStyle(document.querySelector('nav')).display") == "none"
    assert browser.ask("return getComputedStyle(document.documentElement).colorScheme") == "light"
    ink = "return getComputedStyle(document.body).color"
    assert browser.ask(ink) == "rgb(23, 32, 43)"
    browser.ask("document.documentElement.dataset.theme = 'dark'")
    assert browser.ask(ink) == "rgb(23, 32, 43)", "paper is light, whatever was chosen"
    # What Chromium repeats at the top of every page must not be a control, or only its room is repeated.
    assert browser.ask("return getComputedStyle(document.querySelector('th button')).display") == "contents"
    browser.ask("window.dispatchEvent(new Event('beforeprint'))")
    folded = "return document.querySelectorAll('details.print:not([open])').length"
    assert browser.ask(folded) == 0
    browser.ask("window.dispatchEvent(new Event('afterprint'))")
    assert browser.ask(folded) > 0
    assert len(browser.driver.print_page()) > 10_000


def test_it_is_readable_without_a_script(browser: Browser, page: Path) -> None:
    browser.open(page, script=False)
    assert "Any medal" in browser.driver.find_element(By.ID, "summary").text
    cells = browser.driver.find_elements(By.CSS_SELECTOR, ".matrix .cells a")
    assert len(cells) == 28
    assert not browser.driver.find_element(By.ID, "theme").is_displayed()
    assert not browser.driver.find_element(By.CSS_SELECTOR, ".facets").is_displayed()
    anchor = str(cells[0].get_attribute("href")).split("#")[1]
    assert not browser.driver.find_element(By.ID, anchor).is_displayed()
    cells[0].click()
    assert browser.driver.find_element(By.ID, anchor).is_displayed()
    browser.open(page, script=False, width=360)
    assert browser.content_width() == 360
    words = browser.driver.find_element(By.CSS_SELECTOR, ".matrix .cells a span")
    assert words.is_displayed(), "on a phone a run is a line of its own"


def test_a_hostile_group_does_nothing(browser: Browser, tmp_path: Path) -> None:
    page = write_page(tmp_path / "page.html", [hostile_group(tmp_path)], registry)
    browser.complaints(), browser.requests()
    browser.open(page, width=360)
    browser.ask("for (const each of document.querySelectorAll('details')) each.open = true")
    assert browser.driver.title.startswith("agent </script>"), "its name is shown as it is"
    assert browser.ask("return document.querySelectorAll('img, iframe, [onmouseover], [onerror]').length") == 0
    assert browser.ask("return document.querySelectorAll('script').length") == 1
    assert browser.ask(TOO_WIDE) == []
    # What a hole in the escaping would let in is stopped by the policy of the page.
    added = "const each = document.createElement('script'); each.textContent = 'document.title = 1'; "
    browser.ask(f"{added} document.body.append(each)")
    assert browser.driver.title.startswith("agent </script>")
    complaints: list[str] = []

    def stopped() -> int:
        complaints.extend(browser.complaints())
        return sum("Content Security Policy" in each for each in complaints)

    wait_for(lambda: stopped() >= 1, lambda: complaints)
    browser.ask("fetch('http://127.0.0.1:9/').catch(() => 0); new Image().src = 'http://127.0.0.1:9/x.png'")
    wait_for(lambda: stopped() >= 3, lambda: complaints)
    asked = {each.split("#")[0] for each in browser.requests()}
    assert {each for each in asked if not each.startswith("http://127.0.0.1:9/")} == {page.as_uri()}
