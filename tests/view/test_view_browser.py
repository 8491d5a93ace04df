"""The view in a real Chromium, beside another site that is open in it: the browser decides what that one gets."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from axe_core_python.selenium import Axe
from browsing import WHY_NOT, Browser, browsing
from graded import report, write_grading_report
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from view.groups import end, hostile_group, running_group, say
from view.server import View, serving
from waiting import wait_for

from mlebench.results.records import PlannedRun

pytestmark = [
    pytest.mark.once,
    pytest.mark.skipif(WHY_NOT is not None, reason=str(WHY_NOT)),
    pytest.mark.xdist_group("the live view in a browser"),  # which takes as long to start as most tests take
]
Runs = tuple[Path, list[PlannedRun]]
REBOUND = "rebound.example"  # a name that another site lets point at this machine
# What a page of another site tries: to read, to embed, to listen, and to have something done.
EVIL = """<!doctype html><title>evil</title><body><script>
const view = "VIEW", got = window.got = {};
const note = (name, value) => (got[name] = value);
const tries = [
  fetch(`${view}/`, {credentials: "include"}).then((answer) => answer.text())
    .then((text) => note("cors", text), () => note("cors", "")),
  fetch(`${view}/`, {credentials: "include", mode: "no-cors"})
    .then((answer) => note("opaque", answer.type), () => note("opaque", "")),
  fetch(`${view}/g/live/control`, {method: "POST", credentials: "include", mode: "no-cors",
    headers: {"content-type": "application/x-www-form-urlencoded"}, body: "action=stop&confirmed=yes"}).catch(() => 0),
  ...[["script", "src"], ["img", "src"], ["iframe", "src"]].map(([kind, name]) => new Promise((done) => {
    const node = document.createElement(kind);
    node.onload = () => done(note(kind, "loaded"));
    node.onerror = () => done(note(kind, "refused"));
    node[name] = kind === "iframe" ? `${view}/g/live` : `${view}/static/view.js`;
    document.body.append(node);
  })),
  new Promise((done) => {
    const news = new EventSource(`${view}/g/live/events`, {withCredentials: true});
    news.onmessage = (event) => done(note("events", event.data));
    news.onerror = () => done(note("events", ""));
  }),
];
Promise.all(tries).then(() => (window.done = true));
</script>"""


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[PlannedRun]]:
    folder = tmp_path_factory.mktemp("runs")
    secret = folder.parent / "secret.txt"
    secret.write_text("the secret of the host")
    hostile_group(folder / "hostile", secret)
    return folder, running_group(folder / "live")


@pytest.fixture(scope="module")
def view(runs: tuple[Path, list[PlannedRun]]) -> Iterator[View]:
    with serving(runs[0], allow_control=True) as served:
        yield served


@pytest.fixture(scope="module")
def browser(view: View, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A browser that was let in."""
    with browsing(tmp_path_factory.mktemp("profile"), f"--host-resolver-rules=MAP {REBOUND} 127.0.0.1") as opened:
        opened.open(view.address)
        wait_for(lambda: "Run groups" in opened.driver.title)
        yield opened


@pytest.fixture(scope="module")
def evil(view: View) -> Iterator[str]:
    """Another site, at another port of this machine: to a browser the same site, and another origin."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = EVIL.replace("VIEW", f"http://127.0.0.1:{view.port}").encode()
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


def test_it_is_live(browser: Browser, view: View, runs: tuple[Path, list[PlannedRun]]) -> None:
    folder, plan = runs[0] / "live", runs[1]
    driver = browser.driver
    assert "token" not in driver.current_url
    browser.open(f"http://127.0.0.1:{view.port}/g/live")
    row = driver.find_element(By.CSS_SELECTOR, f'tr[data-live="{plan[2].folder}"]')
    assert "30 min of 1 h" in row.text
    say(folder, plan[2], "usage", seconds=3000.0, memory=6 << 30, submission=True)
    wait_for(lambda: "50 min of 1 h" in row.text, lambda: row.text)
    end(folder, plan[3], "timeout", code="time-limit")
    wait_for(lambda: "3 of 4 runs ended" in driver.find_element(By.ID, "sentence").text)
    assert driver.find_element(By.CSS_SELECTOR, f'tr[data-live="{plan[3].folder}"] .state').text == "timed out"
    driver.find_element(By.ID, "show").send_keys("failed")
    # A choice is sent as a form, so another page comes: what is asked of the rows is asked in one go.
    shown = "return [...document.querySelectorAll('#board tbody tr')].filter((row) => row.checkVisibility()).length"
    wait_for(lambda: "show=bad" in driver.current_url and browser.ask(shown) == 2, lambda: browser.ask(shown))
    browser.open(f"http://127.0.0.1:{view.port}/g/live/{plan[2].folder}")
    with (folder / plan[2].folder / "agent.log").open("a", encoding="utf-8") as log:
        log.write("epoch 3 <b>of many</b>\n")
    wait_for(lambda: "epoch 3 <b>of many</b>" in driver.find_element(By.ID, "log").text)
    assert browser.complaints() == []


def test_the_summary_and_the_matrix_are_live(browser: Browser, view: View, tmp_path: Path, runs: Runs) -> None:
    """A run that ends and a report that is written change cells, means and cards without a reload."""
    folder = runs[0] / "graded"
    plan = running_group(folder)
    driver = browser.driver
    browser.open(f"http://127.0.0.1:{view.port}/g/graded")
    browser.ask("window.stays = true")
    cell = driver.find_element(By.CSS_SELECTOR, f'.matrix a[href$="{plan[2].folder}"]')
    assert cell.get_attribute("class") == "running"
    driver.find_element(By.CSS_SELECTOR, "#live-summary summary").click()
    driver.find_element(By.CSS_SELECTOR, "#find").click()
    end(folder, plan[2], "success", submission="submission/submission.csv")
    graded = [
        report(planned.competition_id, medal, run_id=planned.run_id, seed=0, human_percentile=95)
        for planned, medal in zip(plan, (None, None, "gold"), strict=False)
    ]
    write_grading_report(folder / "2026-01-01_grading_report.json", graded)
    wait_for(lambda: cell.get_attribute("class") == "gold", lambda: cell.get_attribute("class"))
    row = cell.find_element(By.XPATH, "ancestor::tr")
    assert row.find_element(By.CSS_SELECTOR, "td[data-n]").text == "95.0"
    wait_for(lambda: "33.33 %" in driver.find_element(By.ID, "live-summary").text)
    assert driver.find_element(By.CSS_SELECTOR, "#live-summary details").get_attribute("open"), "what is open stays"
    driver.find_element(By.NAME, "outcome").send_keys("gold")
    assert browser.ask("return window.stays") is True, "nothing was loaded again"
    assert browser.complaints() == []


def test_what_an_agent_wrote_does_nothing(browser: Browser, view: View, runs: tuple[Path, list[PlannedRun]]) -> None:
    hostile = runs[0] / "hostile"
    browser.complaints()
    pages = ["", "g/hostile", *(f"g/hostile/{path.name}" for path in sorted(hostile.iterdir()) if path.is_dir())]
    for page in pages:
        browser.open(f"http://127.0.0.1:{view.port}/{page}")
        browser.ask("return new Promise((done) => setTimeout(done, 50))")
        assert "owned" not in browser.driver.title.replace("document.title='owned'", "")
        assert browser.ask("return document.querySelectorAll('img, iframe, [onerror]').length") == 0
        assert browser.ask("return document.querySelectorAll('script').length") == 1
    before = browser.driver.title
    made = "const made = document.createElement('script'); made.textContent = 'document.title = 1'; "
    browser.ask(f"{made} document.body.append(made)")
    assert browser.driver.title == before, "what a hole in the escaping would let in is stopped by the policy"


def test_another_site_in_the_same_browser_gets_nothing(browser: Browser, view: View, evil: str) -> None:
    browser.open(evil)
    wait_for(lambda: browser.ask("return window.done === true"), lambda: browser.ask("return window.got"))
    got = browser.ask("return window.got")
    assert got["cors"] == ""
    assert got["events"] == ""
    assert (got["script"], got["img"]) == ("refused", "refused")
    assert got["opaque"] in ("", "opaque")
    frame = "try { return document.querySelector('iframe').contentDocument.body.innerText } catch { return null }"
    assert not browser.ask(frame)
    browser.open(f"http://{REBOUND}:{view.port}/")
    body = browser.driver.find_element(By.TAG_NAME, "body").text
    assert body == "This server answers to 127.0.0.1 and localhost only."
    browser.driver.get(evil)
    browser.ask(f"location.href = 'http://127.0.0.1:{view.port}/g/live'")
    wait_for(lambda: f":{view.port}/" in browser.driver.current_url)
    wait_for(lambda: browser.ask("return document.readyState") == "complete")
    assert "runs ended" not in browser.driver.page_source, "not even by a link of the other site"


def test_it_can_be_used_by_everybody(browser: Browser, view: View, runs: tuple[Path, list[PlannedRun]]) -> None:
    options = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "best-practice"]}
    overflow = "return document.documentElement.scrollWidth - arguments[0]"
    for page in ("", "g/live", f"g/live/{runs[1][2].folder}"):
        for width, dark in ((360, False), (1280, True), (1280, False)):
            browser.open(f"http://127.0.0.1:{view.port}/{page}", width=width, dark=dark)
            assert browser.ask("return document.styleSheets.length") == 1
            assert browser.ask(overflow, width) <= 0
            if width == 360:
                continue
            found = Axe().run(browser.driver, options=options)
            assert [(rule["id"], rule["nodes"][0]["html"][:200]) for rule in found["violations"]] == []
    browser.open(f"http://127.0.0.1:{view.port}/g/live", script=False)
    assert len(browser.driver.find_elements(By.CSS_SELECTOR, "#board tbody tr")) == 4
    assert len(browser.driver.find_elements(By.CSS_SELECTOR, ".matrix .cells a")) == 4
    assert browser.driver.find_element(By.CSS_SELECTOR, ".without-script").is_displayed(), "what to show is chosen"


def test_the_keyboard_reaches_everything(browser: Browser, view: View) -> None:
    """Tab comes to every link, field and button that is seen, and to what is scrolled."""
    browser.open(f"http://127.0.0.1:{view.port}/g/live")
    wanted = """return Array.from(document.querySelectorAll(
      'a[href], button, input:not([type=hidden]), select, summary, [tabindex="0"]'))
      .filter((node) => node.checkVisibility()).length"""
    count = browser.ask(wanted)
    seen: set[str] = set()
    body = browser.driver.find_element(By.TAG_NAME, "body")
    body.click()
    for _ in range(count + 5):
        browser.driver.switch_to.active_element.send_keys(Keys.TAB)
        seen.add(browser.ask("const all = Array.from(document.querySelectorAll('*'));"
                             "return String(all.indexOf(document.activeElement))"))  # fmt: skip
    assert len(seen) >= count
