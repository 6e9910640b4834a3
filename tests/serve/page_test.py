# SPDX-License-Identifier: Apache-2.0
"""Uses the worker's own page in headless Chromium as a person would. usage: page_test.py GLINT AXE [SCREENSHOTS]

AXE is axe-core's axe.min.js. With a third argument, screenshots are left in that folder. Exits with 77 (skipped) where
there is no Chromium, unless GLINT_REQUIRE_BROWSER is set.
"""
import base64
import pathlib
import sys
import tempfile
import time
import unittest

GLINT = str(pathlib.Path(sys.argv[1]).resolve())
AXE = pathlib.Path(sys.argv[2])
SCREENSHOTS = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else None
WIDTHS = (375, 1024, 1280)

sys.path[:0] = [str(pathlib.Path(__file__).parent), str(pathlib.Path(__file__).parents[1] / "support")]
from chromium import open_browser  # noqa: E402
from http_worker import ALICE, Worker, make_clip  # noqa: E402
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402
from selenium.webdriver.support.ui import WebDriverWait  # noqa: E402


class ThePage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="glint-page-")
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.clip = make_clip(GLINT, cls.folder)
        cls.worker = Worker(GLINT, cls.folder)
        cls.browser = open_browser(cls.folder / "profile")

    @classmethod
    def tearDownClass(cls):
        cls.browser.quit()
        cls.worker.stop()
        cls.temporary.cleanup()

    def open(self, width=1280, theme="light"):
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
            {"name": "prefers-color-scheme", "value": theme}]})
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500})
        self.browser.get(self.worker.url + "/")

    def one(self, selector):
        return self.browser.find_element(By.CSS_SELECTOR, selector)

    def wait(self, condition, seconds=60):
        return WebDriverWait(self.browser, seconds).until(lambda _: condition())

    def login(self):
        self.wait(lambda: self.one("#login").is_displayed() or self.one("#work").is_displayed())
        if self.one("#login").is_displayed():
            self.one("#token").send_keys(ALICE, Keys.ENTER)
        self.wait(lambda: self.one("#work").is_displayed())

    def shoot(self, name):
        if SCREENSHOTS:
            SCREENSHOTS.mkdir(parents=True, exist_ok=True)
            picture = self.browser.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True})
            (SCREENSHOTS / f"{name}.png").write_bytes(base64.b64decode(picture["data"]))

    def check(self, name):
        """What must hold of every view: no sideways scrolling, nothing that axe finds, nothing refused."""
        self.shoot(name)
        wide = self.browser.execute_script("return document.documentElement.scrollWidth - innerWidth")
        self.assertLessEqual(wide, 0, name)
        self.browser.execute_cdp_cmd("Page.setBypassCSP", {"enabled": True})
        self.browser.execute_script(AXE.read_text())
        found = self.browser.execute_async_script(
            "const done = arguments[0]; axe.run({iframes: false}).then((all) => done(all.violations))")
        self.assertEqual([(one["id"], [node["html"] for node in one["nodes"]]) for one in found], [], name)

    def test_1_asks_for_the_token_and_forgets_it(self):
        self.open()
        self.wait(lambda: self.one("#login").is_displayed())
        self.assertEqual(self.browser.switch_to.active_element.get_attribute("id"), "token")
        self.one("#token").send_keys("not-the-token-012345", Keys.ENTER)
        self.wait(lambda: "not known" in self.one("#login-error").text)
        self.assertIsNone(self.browser.execute_script("return sessionStorage.getItem('glint-token')"))
        for width in WIDTHS:
            for theme in ("light", "dark"):
                self.open(width, theme)
                self.wait(lambda: self.one("#login").is_displayed())
                self.check(f"login_{width}_{theme}")
        self.login()
        self.browser.refresh()
        self.wait(lambda: self.one("#work").is_displayed())
        self.one("#forget").click()
        self.wait(lambda: self.one("#login").is_displayed())
        self.assertIsNone(self.browser.execute_script("return sessionStorage.getItem('glint-token')"))

    def test_2_scans_a_video_by_keyboard_alone(self):
        self.open()
        self.login()
        self.one("#file").send_keys(str(self.clip))
        self.one("#type").send_keys("Trading")
        self.one("#size").send_keys("63x88mm", Keys.ENTER)
        self.wait(lambda: self.browser.find_elements(By.CSS_SELECTOR, ".state.SUCCEEDED"), 120)
        card = self.one("#scans li")
        self.assertNotEqual(card.find_element(By.CSS_SELECTOR, ".text").text, "")
        self.assertRegex(card.find_element(By.CSS_SELECTOR, "h3").text, "^clip-[0-9a-f]{10}$", "named by its file")
        self.assertRegex(card.find_element(By.CSS_SELECTOR, ".facts").text, "^Trading card · 63x88mm · .*20[0-9][0-9]")
        link = self.wait(lambda: card.find_element(By.CSS_SELECTOR, ".zip").get_attribute("href"))
        path = link.removeprefix(self.worker.url)
        self.assertEqual(self.worker.call("GET", path, token="")[2][:2], b"PK")
        show = card.find_element(By.CSS_SELECTOR, ".show")
        show.send_keys(Keys.ENTER)
        self.wait(lambda: self.one("#report").is_displayed())
        self.browser.switch_to.frame(self.one("#report-frame"))
        self.wait(lambda: "glint" in self.one("body").text.lower())
        apart = self.browser.execute_script("try { return sessionStorage.length } catch { return 'apart' }")
        self.assertEqual(apart, "apart", "a report's page cannot read the token")
        self.browser.switch_to.default_content()
        self.shoot("report_1280")
        self.one("#report-close").send_keys(Keys.ENTER)
        self.assertFalse(self.one("#report").is_displayed())
        self.assertEqual(self.browser.switch_to.active_element, show)

    def test_3_shows_scans_at_every_width(self):
        self.open()
        self.login()
        for width in WIDTHS:
            for theme in ("light", "dark"):
                start = time.time()
                self.open(width, theme)
                self.wait(lambda: self.browser.find_elements(By.CSS_SELECTOR, ".show:not([hidden])"))
                self.assertLess(time.time() - start, 5)
                self.check(f"scans_{width}_{theme}")

    def test_4_says_why_it_cannot(self):
        self.open()
        self.login()
        self.one("#new button[type=submit]").click()
        self.wait(lambda: "Choose a video" in self.one("#new-error").text)
        text = self.folder / "no_video.mp4"
        text.write_text("no video " * 100)
        self.one("#file").send_keys(str(text))
        self.one("#new button[type=submit]").click()
        self.wait(lambda: "no MP4" in self.one("#new-error").text)

    def test_5_asks_nobody_else_and_nothing_is_refused(self):
        self.open()
        self.login()
        asked = self.browser.execute_script("return performance.getEntriesByType('resource').map((one) => one.name)")
        self.assertTrue(all(name.startswith(self.worker.url) for name in asked), asked)
        bytes_loaded = self.browser.execute_script(
            "return performance.getEntriesByType('resource').reduce((sum, one) => sum + one.transferSize, 0)")
        self.assertLess(bytes_loaded, 1_500_000)
        said = [line["message"] for line in self.browser.get_log("browser") if "Content Security Policy" in line["message"]]
        self.assertEqual(said, [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
