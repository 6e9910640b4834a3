# SPDX-License-Identifier: Apache-2.0
"""Uses the built site in headless Chromium as a person would, with a fake worker behind it.

usage: browser_test.py RESULT AXE [SCREENSHOTS]
RESULT is a folder that `glint scan --out` left, AXE axe-core's axe.min.js (tests/report/axe/install.sh), whose rules
every page must keep.
Needs `npm ci && npm run build`, and Debian's chromium, chromium-driver and python3-selenium.
"""
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest
import urllib.request

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from site_support import HERE, Site, SiteTest, free_port, open_browser, wait_until_up

RESULT = pathlib.Path(sys.argv[1]).resolve()
AXE = pathlib.Path(sys.argv[2])
SCREENSHOTS = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else None


class Page(SiteTest):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="glint-site-")
        cls.fake = subprocess.Popen(
            ["node", "--import", "tsx", "test/fake_main.ts", str(RESULT)],
            cwd=HERE, stdout=subprocess.PIPE, text=True)
        cls.ends = json.loads(cls.fake.stdout.readline())
        samples = [{"title": "A scratched card", "videoUrl": "https://v.example/gates", "itemType": "card"}]
        cls.site = Site(pathlib.Path(cls.folder.name), {
            "GLINT_SERVER": cls.ends["worker"], "GLINT_SAMPLES": json.dumps(samples)})
        cls.browser = open_browser(f"{cls.folder.name}/chromium")
        cls.screenshots = SCREENSHOTS

    @classmethod
    def tearDownClass(cls):
        cls.browser.quit()
        cls.site.close()
        cls.fake.kill()
        cls.fake.wait()
        cls.fake.stdout.close()
        cls.folder.cleanup()

    def go_on(self):
        """Lets a scan of .../gates through the gate that it waits at."""
        urllib.request.urlopen(urllib.request.Request(f"{self.ends['pictures']}/go", method="POST"), timeout=30)

    def test_a_sample_goes_through_every_step_to_its_result(self):
        self.open_home()
        self.shoot("home")
        self.button("A scratched card").click()
        self.until_text("2 scans before it")
        self.go_on()
        self.until(lambda _: self.find("[role=progressbar]").get_attribute("aria-valuenow") > "0")
        self.shoot("progress")
        self.go_on()
        self.resize(1280, 900)
        self.until_heading("The result")
        self.until(self.pictures_loaded)
        report = json.loads((RESULT / "report.json").read_text())
        self.assertIn(str(report["regions_found"]), self.find(".tiles").text)
        self.until(lambda _: len(self.browser.find_elements(By.CSS_SELECTOR, "table")) == 2)
        self.shoot("result")
        severe = [entry for entry in self.browser.get_log("browser") if entry["level"] == "SEVERE"]
        self.assertEqual(severe, [])

    def assert_accessible(self, page):
        for theme in ("light", "dark"):
            self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
                {"name": "prefers-color-scheme", "value": theme}]})
            for width in (375, 1024, 1280):
                self.resize(width, 800)
                self.assertLessEqual(self.browser.execute_script("return document.documentElement.scrollWidth"), width)
                self.browser.execute_script(AXE.read_text())
                violations = self.browser.execute_async_script(
                    "axe.run().then((found) => arguments[0](found.violations.map("
                    "(v) => `${v.id}: ${v.nodes.slice(0, 3).map((n) => n.html).join(' ')}`)))")
                self.assertEqual(violations, [], f"{page}, {theme}, {width}")

    def test_axe_finds_nothing_and_no_page_scrolls_sideways(self):
        self.open_home()
        self.assert_accessible("home")
        self.submit("https://v.example/good")
        self.until(self.pictures_loaded)
        self.assert_accessible("result")

    def test_the_slider_and_the_tables_drive_the_picture(self):
        self.submit("https://v.example/good")
        self.until(self.pictures_loaded)
        slider = self.find(".compare input")
        slider.send_keys(Keys.HOME)
        clip = "return getComputedStyle(document.querySelector('.compare .after')).clipPath"
        self.assertIn("0%", self.browser.execute_script(clip))
        slider.send_keys(Keys.END)
        self.assertIn("100%", self.browser.execute_script(clip))
        report = json.loads((RESULT / "report.json").read_text())
        spot = self.until(lambda _: self.browser.find_elements(By.CSS_SELECTOR, ".scroller .link"))[0]
        spot.click()
        self.assertEqual(spot.get_attribute("aria-pressed"), "true")
        box = [float(self.find(".compare rect").get_attribute(key)) for key in ("x", "y", "width", "height")]
        self.assertEqual(box, report["regions"][0]["box"])
        spot.click()
        self.assertEqual(self.browser.find_elements(By.CSS_SELECTOR, ".compare rect"), [])

    def test_a_reload_in_the_middle_goes_on(self):
        self.submit("https://v.example/gates")
        self.until_text("2 scans before it")
        self.go_on()
        self.until_text("of 180 frames")
        self.browser.refresh()
        self.until_text("of 180 frames")
        self.go_on()
        self.until_heading("The result")
        self.browser.refresh()
        self.until_heading("The result")

    def test_a_scan_can_be_cancelled(self):
        self.submit("https://v.example/hold")
        self.until_text("of 180 frames")
        self.button("Cancel").click()
        self.until_text("Nothing was kept")
        self.assertEqual(self.find("h1").text, "Cancelled")

    def test_a_site_that_restarts_loses_nothing(self):
        self.submit("https://v.example/hold")
        self.until_text("of 180 frames")
        self.site.stop()
        self.until_text("The connection was lost")
        self.shoot("reconnecting")
        self.site.start()
        self.until(lambda _: "The connection was lost" not in self.text())
        self.button("Cancel").click()
        self.until_heading("Cancelled")

    def test_failures_say_what_happened_and_what_to_do(self):
        self.submit("https://v.example/bad")
        self.until_text("This is not a video")
        self.assertIn("Use the address of the video file itself", self.text())
        self.shoot("failed")
        self.submit("https://v.example/blur")
        self.until_text("No frame was steady enough")
        self.assertIn("Hold the phone still", self.text())
        self.assertNotIn("Damaged surface", self.text())
        self.browser.get(f"{self.site.url}/scans/never-was")
        self.until_text("This scan is not known")

    def test_a_full_queue_counts_down_and_tries_again(self):
        self.submit("https://v.example/full")
        self.until_text("Very busy right now")
        self.assertFalse(self.find(".trouble button").is_enabled())
        self.until(lambda _: self.find(".trouble button").is_enabled())
        self.find(".trouble button").click()
        self.until_heading("The result")

    def test_it_works_at_phone_width_and_by_keyboard(self):
        self.resize(390, 844)
        self.open_home()
        self.assert_fits()
        self.shoot("phone_home")
        self.resize(390, 844)
        # past the field for a file, to the kinds of object
        self.find("#url").send_keys("https://v.example/good", Keys.TAB, Keys.TAB, Keys.ARROW_RIGHT, Keys.ENTER)
        self.until_heading("The result")
        self.assertIn("/scans/", self.browser.current_url)
        self.until(self.pictures_loaded)
        self.assert_fits()
        self.shoot("phone_result")


class Start(unittest.TestCase):
    def test_npm_start_takes_the_settings_of_env_local_and_listens_on_this_machine_alone(self):
        with tempfile.TemporaryDirectory(prefix="glint-start-") as name:
            folder = pathlib.Path(name)
            shutil.copytree(HERE / "scripts", folder / "scripts")
            shutil.copytree(HERE / ".next", folder / ".next", symlinks=True, ignore=shutil.ignore_patterns("cache"))
            shutil.copytree(HERE / "public", folder / "public")
            (folder / "node_modules").symlink_to(HERE / "node_modules")
            (folder / ".env.local").write_text("GLINT_SERVER=127.0.0.1:1\nGLINT_SITE_LOGIN=me:secret-word\n")
            port = free_port()
            environment = {key: value for key, value in os.environ.items() if not key.startswith("GLINT_")}
            site = subprocess.Popen(["node", "scripts/start.mjs"], cwd=folder, text=True,
                                    env={**environment, "PORT": str(port), "HOSTNAME": "0.0.0.0"},
                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            try:
                self.assertEqual(wait_until_up(f"http://127.0.0.1:{port}/api/worker"), 401, "the login is asked for")
                with self.assertRaises(ConnectionRefusedError):  # another address of this machine
                    socket.create_connection(("127.0.0.2", port))
            finally:
                site.terminate()
                said = site.communicate(timeout=60)[0]
            self.assertNotIn("standalone", said, "Next.js does not warn of the way it is started")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]], verbosity=2)
