"""A real Chromium, driven as a reader would use it; where none is installed, tests are skipped."""

from __future__ import annotations

import base64
import json
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from selenium import webdriver
from selenium.webdriver.chrome.service import Service

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
WHY_NOT = (
    None if CHROMIUM and DRIVER else "there is no chromium and chromedriver here (Debian: chromium, chromium-driver)"
)
_PATIENCE = 180  # seconds: a busy machine is no failure
_OPTIONS = (
    "--headless",
    "--no-sandbox",  # a test may run as root
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
)


class Browser:
    """A browser with a page in it."""

    def __init__(self, driver: webdriver.Chrome) -> None:
        self.driver = driver

    def open(
        self, page: Path | str, *, width: int = 1280, dark: bool = False, media: str = "screen", script: bool = True
    ) -> None:
        """Open a file or an address, in a window of a width, with a preference for light or dark."""
        self._tell("Emulation.setScriptExecutionDisabled", value=not script)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._tell("Emulation.setEmulatedMedia", media=media, features=[scheme])
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
        self._tell("Emulation.setDeviceMetricsOverride", **size)
        address = page if isinstance(page, str) else page.absolute().as_uri()
        before = None if "#" in address else self._began()  # an address with a fragment may need no loading
        self.driver.get(address)
        # The driver may take the end of an earlier loading for that of this one, and a page without its style is wider.
        end = time.monotonic() + _PATIENCE
        while time.monotonic() < end and (
            self.ask("return document.readyState") != "complete" or self._began() == before
        ):
            time.sleep(0.02)

    def _began(self) -> float:
        """When the loading of what is shown began, which no two loadings share."""
        return float(self.ask("return performance.timeOrigin"))

    def _tell(self, command: str, **arguments: Any) -> Any:
        return self.driver.execute_cdp_cmd(command, arguments)

    def ask(self, script: str, *arguments: Any) -> Any:
        """What a function of JavaScript returns."""
        return self.driver.execute_script(script, *arguments)

    def content_width(self) -> float:
        """How wide the page is, whether or not the window shows all of it; needs no script."""
        return float(self._tell("Page.getLayoutMetrics")["cssContentSize"]["width"])

    def picture(self, path: Path, *, height: int) -> None:
        """Save what the window shows, from the top to a height."""
        width = self.ask("return innerWidth")
        clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
        shot = self._tell("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)
        path.write_bytes(base64.b64decode(shot["data"]))

    def complaints(self) -> list[str]:
        """What the console has said since it was asked last."""
        return [entry["message"] for entry in self._logged("browser")]

    def _logged(self, kind: str) -> list[dict[str, Any]]:
        entries: list[dict[str, Any]] = self.driver.get_log(kind)  # type: ignore[no-untyped-call]
        return entries

    def requests(self) -> list[str]:
        """The addresses that were asked for since the last time."""
        entries = [json.loads(entry["message"])["message"] for entry in self._logged("performance")]
        asked = [each["params"] for each in entries if each["method"] == "Network.requestWillBeSent"]
        return [each["request"]["url"] for each in asked]


@contextmanager
def browsing(profile: Path, *more: str) -> Iterator[Browser]:
    """A browser with an empty profile in a folder, and more options if any."""
    options = webdriver.ChromeOptions()
    options.binary_location = str(CHROMIUM)
    for each in (*_OPTIONS, f"--user-data-dir={profile}", *more):
        options.add_argument(each)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(str(DRIVER)))
    driver.set_script_timeout(_PATIENCE)
    try:
        yield Browser(driver)
    finally:
        driver.quit()
