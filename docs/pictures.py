"""Make the docs' pictures from a report: `python docs/pictures.py demo` (needs chromium)."""

import base64
import shutil
import sys
import tempfile
import time
from pathlib import Path

from selenium import webdriver

IMAGES = Path(__file__).resolve().parent / "images"
# What a reader sees before scrolling.
FIRST_SCREEN = {"width": 1280, "height": 800, "deviceScaleFactor": 1, "mobile": False}


def first_screen(report: Path) -> bytes:
    """A PNG of the top of a report, its charts drawn, as a browser in daylight shows it."""
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not chromium or not driver:
        raise SystemExit("pictures are made by chromium: put it and chromedriver on the PATH")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    with tempfile.TemporaryDirectory() as profile:
        for flag in ("headless=new", "no-sandbox", "disable-gpu", f"user-data-dir={profile}"):
            options.add_argument(f"--{flag}")
        browser = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
        try:
            browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", FIRST_SCREEN)
            browser.execute_cdp_cmd("Emulation.setScrollbarsHidden", {"hidden": True})
            browser.execute_cdp_cmd(
                "Emulation.setEmulatedMedia",
                {"features": [{"name": "prefers-color-scheme", "value": "light"}]},
            )
            browser.get(report.resolve().as_uri())
            until = time.monotonic() + 60
            while not browser.execute_script("return document.documentElement.dataset.charts"):
                if time.monotonic() > until:
                    raise SystemExit(f"{report}: the charts were not drawn")
                time.sleep(0.1)
            shot = browser.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})
        finally:
            browser.quit()
    return base64.b64decode(shot["data"])


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "demo")
    if not (folder / "report.html").is_file():
        raise SystemExit(f"{folder} has no report.html: `make demo` writes one")
    picture = IMAGES / "report.png"
    picture.write_bytes(first_screen(folder / "report.html"))
    print(f"{picture}: {picture.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
