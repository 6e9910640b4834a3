# SPDX-License-Identifier: Apache-2.0
"""Headless Chromium for tests, by Debian's Selenium. Importing it exits with 77 (skipped) where there is no Chromium,
unless GLINT_REQUIRE_BROWSER is set."""
import os
import shutil
import sys

FLAGS = """--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-dev-shm-usage
--disable-background-networking --disable-component-update --disable-sync --remote-debugging-pipe""".split()

if not (shutil.which("chromium") and shutil.which("chromedriver")):
    print("needs Debian's packages chromium and chromium-driver")
    sys.exit(1 if os.environ.get("GLINT_REQUIRE_BROWSER") else 77)

from selenium import webdriver  # noqa: E402
from selenium.webdriver.chrome.options import Options  # noqa: E402
from selenium.webdriver.chrome.service import Service  # noqa: E402
from selenium.webdriver.common.utils import is_connectable  # noqa: E402


class LocalService(Service):
    """By address: a bare machine may have no /etc/hosts that says what localhost is."""

    @property
    def service_url(self):
        return f"http://127.0.0.1:{self.port}"

    def is_connectable(self):
        return is_connectable(self.port, "127.0.0.1")


def open_browser(profile, logs=("browser",)):
    """@param profile  folder of its own. @param logs  kinds that are kept: browser, performance"""
    options = Options()
    options.binary_location = shutil.which("chromium")
    for flag in [*FLAGS, f"--user-data-dir={profile}"]:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {kind: "ALL" for kind in logs})
    return webdriver.Chrome(service=LocalService(shutil.which("chromedriver")), options=options)
