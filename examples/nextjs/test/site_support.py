# SPDX-License-Identifier: Apache-2.0
"""The built site and a headless Chromium, for tests that use the site as a person would."""
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time
import unittest
import urllib.error
import urllib.request

from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.common.utils import is_connectable
from selenium.webdriver.support.ui import WebDriverWait

HERE = pathlib.Path(__file__).resolve().parent.parent
PATIENCE = float(os.environ.get("GLINT_TEST_PATIENCE", "60"))  # seconds
FLAGS = """--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-dev-shm-usage
--disable-background-networking --disable-component-update --disable-sync
--remote-debugging-pipe""".split()


class LocalService(Service):
    """By address: a bare machine may have no /etc/hosts that says what localhost is."""

    @property
    def service_url(self):
        return f"http://127.0.0.1:{self.port}"

    def is_connectable(self):
        return is_connectable(self.port, "127.0.0.1")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until_up(url):
    end = time.monotonic() + PATIENCE
    while True:
        try:
            return urllib.request.urlopen(url, timeout=5).status
        except urllib.error.HTTPError as error:
            return error.code
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.1)


class Site:
    """The standalone build with the files that Next.js leaves beside it."""

    def __init__(self, folder, environment):
        server = folder / "site"
        shutil.copytree(HERE / ".next/standalone", server)
        shutil.copytree(HERE / ".next/static", server / ".next/static")
        shutil.copytree(HERE / "public", server / "public", dirs_exist_ok=True)
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.server, self.environment = server, environment
        self.log = open(folder / "site.log", "a+")
        self.start()

    def start(self):
        environment = {"PATH": os.environ["PATH"], "PORT": str(self.port), "HOSTNAME": "127.0.0.1",
                       **self.environment}
        self.process = subprocess.Popen(["node", "server.js"], cwd=self.server, env=environment,
                                        stdout=self.log, stderr=self.log)
        wait_until_up(self.url)

    def stop(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def close(self):
        self.stop()
        self.log.close()


def open_browser(profile):
    options = Options()
    options.binary_location = shutil.which("chromium")
    for flag in [*FLAGS, f"--user-data-dir={profile}"]:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(service=LocalService(shutil.which("chromedriver")), options=options)


class SiteTest(unittest.TestCase):
    """Subclasses set `site`, `browser` and, to be looked at, `screenshots` (a folder)."""
    site = browser = screenshots = None

    def setUp(self):
        self.resize(1280, 900)
        self.browser.get_log("browser")

    def resize(self, width, height):
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})

    def until(self, condition):
        """Waits for the condition. The page may draw an element anew between finding and reading it: looked at again."""
        return WebDriverWait(self.browser, PATIENCE, poll_frequency=0.05,
                             ignored_exceptions=[StaleElementReferenceException]).until(condition)

    def find(self, selector):
        return self.browser.find_element(By.CSS_SELECTOR, selector)

    def text(self):
        return self.find("main").text

    def until_text(self, words):
        self.until(lambda _: words in self.text())

    def until_heading(self, words):
        self.until(lambda _: self.find("h1").text == words)

    def button(self, words):
        return self.find("main").find_element(By.XPATH, f".//button[normalize-space()='{words}']")

    def open_home(self):
        self.browser.get(self.site.url)
        self.until(lambda _: self.button("Scan").is_enabled())

    def submit(self, address):
        self.open_home()
        self.find("#url").send_keys(address, Keys.ENTER)

    def shoot(self, name):
        if not self.screenshots:
            return
        self.screenshots.mkdir(parents=True, exist_ok=True)
        height = self.browser.execute_script("return document.documentElement.scrollHeight")
        width = self.browser.execute_script("return innerWidth")
        self.resize(width, height)
        self.browser.save_screenshot(str(self.screenshots / f"{name}.png"))

    def assert_fits(self):
        wide = self.browser.execute_script(
            "const page = document.documentElement;"
            "if (page.scrollWidth <= page.clientWidth) return [];"
            "return [...document.querySelectorAll('body *')]"
            "  .filter((one) => one.getBoundingClientRect().right > page.clientWidth)"
            "  .map((one) => `${one.tagName}.${one.className}`)")
        self.assertEqual(wide, [], "the page scrolls sideways")

    def pictures_loaded(self, _=None):
        return self.browser.execute_script(
            "const all = [...document.querySelectorAll('.compare img')];"
            "return all.length === 2 && all.every((one) => one.complete && one.naturalWidth > 0)")
