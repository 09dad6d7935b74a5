"""A headless Chromium for the tests of the page."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest


@contextmanager
def chromium(*, dark: bool = False, size: tuple[int, int] = (1100, 900)) -> Iterator[Any]:
    """A WebDriver. Skips the test, with the reason, where the browser or its driver is missing."""
    pytest.importorskip("selenium", reason="the page is driven with the package selenium")
    binary = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    driver_path = shutil.which("chromedriver")
    if binary is None or driver_path is None:
        pytest.skip("no Chromium and chromedriver on this machine (Debian: chromium, chromium-driver)")
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"):
        options.add_argument(argument)
    options.add_argument(f"--window-size={size[0]},{size[1]}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(driver_path))
    try:
        scheme = "dark" if dark else "light"
        driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        )
        yield driver
    finally:
        driver.quit()


def open_page(driver: Any, path: Path, fragment: str = "") -> None:
    driver.get("about:blank")
    driver.get(path.as_uri() + fragment)


def phone(driver: Any) -> None:
    driver.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride", {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True}
    )


def shown_ids(driver: Any) -> list[str]:
    found = driver.execute_script(
        "return [...document.querySelectorAll('article.finding')].filter(f => f.getClientRects().length).map(f => f.id)"
    )
    return [str(item) for item in found]
