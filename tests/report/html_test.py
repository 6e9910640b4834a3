# SPDX-License-Identifier: Apache-2.0
"""Uses rendered pages in headless Chromium as a person would. usage: html_test.py SAMPLES AXE [SCREENSHOTS]

AXE is axe-core's axe.min.js, whose rules every sample must keep. With a third argument, screenshots of every sample are
left in that folder, to be looked at. Exits with 77
(skipped) where there is no Chromium, unless GLINT_REQUIRE_BROWSER is set.
"""
import base64
import json
import pathlib
import sys
import tempfile
import unittest

SAMPLES = pathlib.Path(sys.argv[1]).resolve()
AXE = pathlib.Path(sys.argv[2])
SCREENSHOTS = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else None

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from chromium import open_browser  # noqa: E402
from selenium.webdriver.common.action_chains import ActionChains  # noqa: E402
from selenium.webdriver.common.actions.wheel_input import ScrollOrigin  # noqa: E402
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402
from selenium.webdriver.support.ui import WebDriverWait  # noqa: E402

DESKTOP = (1440, 900)
PHONE = (390, 844)
WIDTHS = (375, 1024, 1280)
ALL = ("scanned", "long", "photometric", "compared", "unusable", "unjudged", "hostile", "unknown", "one_frame",
       "both_sides", "back_unjudged")


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.profile = tempfile.TemporaryDirectory(prefix="glint-chromium-")
        cls.browser = open_browser(cls.profile.name, ("browser", "performance"))
        cls.browser.get("about:blank")
        cls.browser.get_log("performance")  # of Chromium's own first page

    @classmethod
    def tearDownClass(cls):
        cls.browser.quit()
        cls.profile.cleanup()

    def emulate(self, theme="light", media="", scripts=True):
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": media, "features": [
            {"name": "prefers-reduced-motion", "value": "reduce"},  # so that scrolling is done at once
            {"name": "prefers-color-scheme", "value": theme}]})
        self.browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": not scripts})

    def open(self, sample, size=DESKTOP, theme="light", unfold=False):
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": size[0] < 500})
        self.browser.execute_cdp_cmd("Emulation.setTouchEmulationEnabled",
                                     {"enabled": size[0] < 500, "maxTouchPoints": 2})
        self.emulate(theme)
        self.browser.get((SAMPLES / sample / "report.html").as_uri())
        if self.browser.find_elements(By.ID, "viewer"):
            WebDriverWait(self.browser, 20).until(
                lambda b: b.execute_script("return !!document.querySelector('canvas#mask')"))
        if unfold:
            self.js("document.querySelectorAll('details').forEach((fold) => { fold.open = true; })")

    def tearDown(self):
        complaints = [entry["message"] for entry in self.browser.get_log("browser")]
        self.assertEqual(complaints, [], "the console is not clean")
        requests = []
        for entry in self.browser.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                requests.append(message["params"]["request"]["url"])
        outside = [url[:80] for url in requests if not url.startswith(("file:", "data:"))]
        self.assertEqual(outside, [], "the page asked the network")
        files = {url.split("#")[0] for url in requests if url.startswith("file:")}
        self.assertTrue(all(url.endswith("/report.html") for url in files), files)

    def find(self, selector):
        return self.browser.find_element(By.CSS_SELECTOR, selector)

    def js(self, code, *arguments):
        return self.browser.execute_script("return " + code, *arguments)

    def zoom(self):
        return float(self.find("#viewer").get_attribute("data-zoom"))

    def drag(self, element, dx, dy=0, start=(0, 0)):
        chain = ActionChains(self.browser, duration=20)
        chain.move_to_element_with_offset(element, *start).click_and_hold()
        chain.move_by_offset(dx, dy).release().perform()

    def place_in_view(self):
        """Top of the picture, measured from the top of the viewer."""
        return self.screen_box(self.find("#rectified"))["top"] - self.screen_box(self.find("#viewer"))["top"]

    def screen_box(self, element):
        return self.js("(({left, top, right, bottom}) => ({left, top, right, bottom}))(arguments[0].getBoundingClientRect())", element)

    def test_shows_the_whole_object_at_first(self):
        for size in (DESKTOP, PHONE):
            self.open("scanned", size)
            self.assertAlmostEqual(self.zoom(), 1, places=2)
            inner, outer = (self.screen_box(self.find(s)) for s in ("#rectified", "#viewer"))
            for side, sign in (("left", 1), ("top", 1), ("right", -1), ("bottom", -1)):
                self.assertGreaterEqual(sign * (inner[side] - outer[side]), -1, side)

    def test_fits_any_width_without_scrolling_sideways(self):
        for sample in ALL:
            for width in WIDTHS:
                self.open(sample, (width, 800), unfold=True)
                self.assertLessEqual(self.js("document.documentElement.scrollWidth"), width, sample)
                self.assertEqual(self.js("[...document.querySelectorAll('.scroller')].filter("
                                         "e => e.scrollWidth > e.clientWidth).length"), 0, f"{sample} at {width}")

    def test_axe_finds_nothing(self):
        axe = AXE.read_text()
        for sample in ALL:
            for theme in ("light", "dark"):
                self.open(sample, theme=theme, unfold=True)
                self.browser.execute_script(axe)
                violations = self.browser.execute_async_script(
                    "axe.run().then((found) => arguments[0](found.violations.map("
                    "(v) => `${v.id}: ${v.nodes.slice(0, 3).map((n) => n.html).join(' ')}`)))")
                self.assertEqual(violations, [], f"{sample}, {theme}")

    def test_opens_with_the_verdict_and_everything_found(self):
        self.open("photometric")
        self.assertRegex(self.find("h1").text, r"^(Light wear|Moderate wear|Heavy damage): .*\.$")
        self.assertEqual(self.find("#split").get_attribute("aria-valuenow"), "0")
        self.assertIsNone(self.find(".measured").get_attribute("open"), "details are folded away")
        self.assertEqual([axis.text for axis in self.browser.find_elements(By.CSS_SELECTOR, ".axis dt")],
                         ["Centering", "Corners", "Edges", "Surface"])
        rows = self.browser.find_elements(By.CSS_SELECTOR, "tr[data-defect]")
        self.assertEqual(len(rows), int(self.find(".defects h2 small").text))
        self.assertIn("Missing corner", [row.find_elements(By.TAG_NAME, "td")[1].text for row in rows])
        steps = [int(row.find_elements(By.TAG_NAME, "td")[3].get_attribute("data-value")) for row in rows]
        self.assertEqual(steps, sorted(steps, reverse=True), "the worst first")

    def test_both_sides_are_one_page_with_one_verdict(self):
        self.open("both_sides")
        self.assertEqual(len(self.browser.find_elements(By.TAG_NAME, "h1")), 1)
        self.assertRegex(self.find("h1").text, r" on the front; .* on the back\.$")
        self.assertEqual([title.text for title in self.browser.find_elements(By.CSS_SELECTOR, ".face-title h2")],
                         ["Front", "Back"])
        ids = self.js("[...document.querySelectorAll('[id]')].map((e) => e.id)")
        self.assertEqual(len(ids), len(set(ids)), "no two things have one id")
        rows = self.browser.find_elements(By.CSS_SELECTOR, "#back tr[data-defect]")
        rows[0].find_element(By.TAG_NAME, "button").click()
        self.assertEqual(self.find("#viewer-back").get_attribute("data-chosen"), "1")
        self.assertEqual(self.find("#viewer").get_attribute("data-chosen") or "", "", "the front stays as it is")
        back = float(self.find("#viewer-back").get_attribute("data-zoom"))
        ActionChains(self.browser).send_keys("+").perform()
        self.assertGreater(float(self.find("#viewer-back").get_attribute("data-zoom")), back, "keys are for the side in use")
        self.assertAlmostEqual(self.zoom(), 1, places=2)
        self.find("#layer-mask-back").click()
        self.assertTrue(self.js("document.querySelector('canvas#mask-back').hidden"))
        self.assertFalse(self.js("document.querySelector('canvas#mask').hidden"))

    def test_a_side_that_was_not_judged_says_why_and_has_no_number(self):
        self.open("back_unjudged")
        self.assertIn("The back was not judged: no object stands out.", self.find("h1").text)
        tile = self.browser.find_elements(By.CSS_SELECTOR, ".tile")[1].text
        self.assertIn("not judged", tile)
        self.assertNotRegex(tile, r"\d")
        self.assertEqual(self.browser.find_elements(By.ID, "viewer-back"), [])

    def test_centering_is_drawn_where_it_was_measured(self):
        self.open("photometric")
        self.assertTrue(self.find("#centering").is_displayed())
        self.find("#layer-centering").click()
        self.assertFalse(self.find("#centering").is_displayed())
        self.open("scanned")
        self.assertEqual(self.browser.find_elements(By.CSS_SELECTOR, "#centering, #layer-centering"), [])

    def test_a_turned_picture_is_whole_and_a_click_still_finds_its_defect(self):
        self.open("photometric")
        row = next(row for row in self.browser.find_elements(By.CSS_SELECTOR, "tr[data-defect]")
                   if "Missing corner" in row.text)
        for turns in (1, 2, 3, 0):
            self.find("#rotate").click()
            self.assertEqual(self.find("#viewer").get_attribute("data-turns"), str(turns))
            self.js("arguments[0].scrollIntoView({block: 'center'})", self.find("#viewer"))
            inner, outer = (self.screen_box(self.find(s)) for s in ("#rectified", "#viewer"))
            for side, sign in (("left", 1), ("top", 1), ("right", -1), ("bottom", -1)):
                self.assertGreaterEqual(sign * (inner[side] - outer[side]), -1, side)
            wide = inner["right"] - inner["left"] > inner["bottom"] - inner["top"]
            self.assertEqual(wide, turns % 2 == 1)
            x = inner["left"] + 4 if turns in (2, 3) else inner["right"] - 4  # the top right corner
            y = inner["bottom"] - 4 if turns in (1, 2) else inner["top"] + 4
            middle = self.screen_box(self.find("#viewer"))
            ActionChains(self.browser).move_to_element_with_offset(
                self.find("#viewer"), int(x - (middle["left"] + middle["right"]) / 2),
                int(y - (middle["top"] + middle["bottom"]) / 2)).click().perform()
            self.assertEqual(self.find("#viewer").get_attribute("data-chosen"),
                             row.get_attribute("data-defect"), turns)
            row.find_element(By.TAG_NAME, "button").click()
            chosen, view = self.screen_box(self.find("#chosen")), self.screen_box(self.find("#viewer"))
            self.assertLess(chosen["left"], view["right"])
            self.assertGreater(chosen["right"], view["left"])
            self.find("#zoom-fit").click()

    def test_the_keyboard_reaches_everything(self):
        self.open("photometric", unfold=True)
        self.js("document.body.focus()")
        wanted = self.js("[...document.querySelectorAll('button, summary, [tabindex=\"0\"]')].filter("
                         "e => e.offsetParent !== null).length")
        seen = set()
        for _ in range(wanted + 5):
            ActionChains(self.browser).send_keys(Keys.TAB).perform()
            seen.add(self.js("[...document.querySelectorAll('*')].indexOf(document.activeElement)"))
        self.assertGreaterEqual(len(seen), wanted)
        button = self.find("tr[data-defect='3'] button")
        button.send_keys(Keys.ENTER)
        self.assertEqual(self.find("#viewer").get_attribute("data-chosen"), "3")
        self.find("#viewer").send_keys("r")
        self.assertEqual(self.find("#viewer").get_attribute("data-turns"), "1")

    def test_without_scripts_the_object_and_its_damage_are_seen(self):
        for media in ("", "print"):
            self.open("photometric")
            self.emulate(media=media, scripts=False)
            try:
                self.browser.get((SAMPLES / "photometric" / "report.html").as_uri())
                self.assertEqual(self.browser.find_elements(By.CSS_SELECTOR, "canvas"), [])
                mask, picture, view = (self.find(s) for s in ("img#mask", "#rectified", "#viewer"))
                self.assertIn("tint-damage", mask.value_of_css_property("filter"))
                self.assertEqual(mask.rect, picture.rect)
                self.assertLessEqual(abs(picture.rect["width"] - view.rect["width"]), 1)
                self.assertFalse(self.find(".tools").is_displayed(), "buttons that would do nothing")
                self.assertTrue(self.find("tr[data-defect='1']").is_displayed())
            finally:
                self.emulate()

    def test_on_paper_everything_found_is_there_and_nothing_to_press(self):
        self.open("photometric")
        self.emulate(media="print")
        for gone in (".tools", "#split", ".measured"):
            self.assertFalse(self.find(gone).is_displayed(), gone)
        mask, picture = self.find("canvas#mask"), self.find("#rectified")
        self.assertEqual(mask.rect, picture.rect)
        self.assertTrue(self.find("tr[data-defect='1']").is_displayed())
        self.emulate()

    def test_the_slider_moves_by_mouse_and_keyboard(self):
        self.open("scanned")
        slider = self.find("#split")
        self.assertEqual(slider.get_attribute("aria-valuenow"), "0")
        self.drag(slider, 400)
        before = slider.rect["x"]
        self.drag(slider, 200)
        self.assertAlmostEqual(slider.rect["x"] - before, 200, delta=3)
        moved = int(slider.get_attribute("aria-valuenow"))
        self.assertGreater(moved, 40)
        slider.send_keys(Keys.ARROW_LEFT)
        self.assertEqual(int(slider.get_attribute("aria-valuenow")), moved - 5)
        slider.send_keys(Keys.HOME)
        self.assertEqual(slider.get_attribute("aria-valuenow"), "0")
        self.assertEqual(self.js("getComputedStyle(document.getElementById('layers')).clipPath"),
                         "inset(0px 0px 0px 0%)")

    def test_a_row_selects_its_region_and_zooms_to_it(self):
        self.open("long")
        row = self.browser.find_elements(By.CSS_SELECTOR, "tr[data-region]")[7]
        row.find_element(By.TAG_NAME, "button").click()
        self.assertEqual(row.get_attribute("aria-selected"), "true")
        self.assertEqual(self.find("#viewer").get_attribute("data-chosen"), row.get_attribute("data-region"))
        self.assertGreater(self.zoom(), 1.2)
        box, view = self.screen_box(self.find("#chosen")), self.screen_box(self.find("#viewer"))
        self.assertGreaterEqual(box["left"], view["left"])
        self.assertGreaterEqual(box["top"], view["top"])
        self.assertLessEqual(box["right"], view["right"])
        self.assertLessEqual(box["bottom"], view["bottom"])
        self.find("body").send_keys(Keys.ESCAPE)
        self.assertEqual(self.find("#viewer").get_attribute("data-chosen"), "")
        self.assertFalse(self.find("#chosen").is_displayed())

    def test_a_click_on_a_region_selects_its_row_and_scrolls_to_it(self):
        self.open("long")
        self.find("#split").send_keys(Keys.HOME)
        row = self.browser.find_elements(By.CSS_SELECTOR, "tr[data-region]")[-1]  # the smallest
        x, y, w, h = map(int, row.get_attribute("data-box").split(","))
        place = self.screen_box(self.find("#rectified"))
        scale = (place["right"] - place["left"]) / int(self.find("#viewer").get_attribute("data-width"))
        view = self.find("#viewer").rect
        offset = (int(place["left"] + (x + w / 2) * scale - view["x"] - view["width"] / 2),
                  int(place["top"] + (y + h / 2) * scale + self.js("scrollY") - view["y"] - view["height"] / 2))
        ActionChains(self.browser).move_to_element_with_offset(self.find("#viewer"), *offset).click().perform()
        chosen = self.find("#viewer").get_attribute("data-chosen")
        self.assertTrue(chosen)
        selected = self.find("tr[aria-selected='true']")
        self.assertEqual(selected.get_attribute("data-region"), chosen)
        frame, cell = self.screen_box(self.find(".regions .scroller")), self.screen_box(selected)
        self.assertGreaterEqual(cell["top"], frame["top"])
        self.assertLessEqual(cell["bottom"], frame["bottom"] + 1)

    def test_zooms_and_moves_by_keys_wheel_buttons_and_drag(self):
        self.open("scanned")
        viewer = self.find("#viewer")
        viewer.send_keys("+")
        self.assertAlmostEqual(self.zoom(), 1.4, places=2)
        viewer.send_keys("-")
        self.assertAlmostEqual(self.zoom(), 1, places=2)
        self.find("#zoom-in").click()
        self.find("#zoom-in").click()
        self.find("#zoom-in").click()
        self.assertAlmostEqual(self.zoom(), 1.6 ** 3, places=1)
        before = self.place_in_view()
        viewer.send_keys(Keys.ARROW_DOWN)
        after = self.place_in_view()
        self.assertAlmostEqual(after - before, -60, delta=2)
        self.drag(viewer, 0, 90, start=(-150, -120))
        self.assertAlmostEqual(self.place_in_view() - after, 90, delta=2)
        self.assertEqual(viewer.get_attribute("data-chosen") or "", "", "a drag is no click")
        viewer.send_keys("0")
        self.assertAlmostEqual(self.zoom(), 1, places=2)
        ActionChains(self.browser).scroll_from_origin(
            ScrollOrigin.from_element(viewer), 0, -300).perform()
        WebDriverWait(self.browser, 20).until(lambda _: self.zoom() > 1.5)

    def test_two_fingers_zoom(self):
        self.open("scanned", PHONE)
        self.js("arguments[0].scrollIntoView({block: 'center'})", self.find("#viewer"))
        view = self.screen_box(self.find("#viewer"))
        x, y = (view["left"] + view["right"]) / 2, (view["top"] + view["bottom"]) / 2 - 60
        touch = lambda kind, points: self.browser.execute_cdp_cmd("Input.dispatchTouchEvent", {
            "type": kind, "touchPoints": [{"x": px, "y": py, "id": i} for i, (px, py) in enumerate(points)]})
        touch("touchStart", [(x - 40, y), (x + 40, y)])
        for spread in (50, 70, 90, 120):
            touch("touchMove", [(x - spread, y), (x + spread, y)])
        touch("touchEnd", [])
        WebDriverWait(self.browser, 20).until(lambda _: self.zoom() > 1.8)

    def test_layers_can_be_switched(self):
        self.open("scanned")
        for button, layer in (("#layer-mask", "canvas#mask"), ("#layer-heat", "#heat"), ("#layer-boxes", ".boxes")):
            shown = self.find(layer).is_displayed()
            self.assertEqual(self.find(button).get_attribute("aria-pressed"), str(shown).lower())
            self.find(button).click()
            self.assertNotEqual(self.find(layer).is_displayed(), shown, button)
            self.assertEqual(self.find(button).get_attribute("aria-pressed"), str(not shown).lower())

    def test_close_ups_show_the_largest_regions_and_lead_to_them(self):
        self.open("photometric")
        figures = self.browser.find_elements(By.CSS_SELECTOR, ".close-up")
        rows = self.browser.find_elements(By.CSS_SELECTOR, "tr[data-defect]")
        self.assertEqual([figure.find_element(By.CSS_SELECTOR, "[data-show]").text for figure in figures],
                         [row.get_attribute("data-defect") for row in rows][:12])
        for figure in figures:
            picture = figure.find_element(By.TAG_NAME, "img")
            self.assertGreater(self.js("arguments[0].naturalWidth", picture), 0)
            self.assertRegex(figure.find_element(By.CSS_SELECTOR, "figcaption > small").text, r"^frame \d+ at \d+:\d\d\.\d$")
            box = self.screen_box(picture)
            self.assertAlmostEqual(box["right"] - box["left"], box["bottom"] - box["top"], delta=1)
        boxes = [self.screen_box(figure) for figure in figures]
        for i, a in enumerate(boxes):
            for b in boxes[:i]:
                apart = (a["left"] >= b["right"] or b["left"] >= a["right"] or
                         a["top"] >= b["bottom"] or b["top"] >= a["bottom"])
                self.assertTrue(apart, "close-ups overlap")
        button = figures[3].find_element(By.CSS_SELECTOR, "[data-show]")
        button.click()
        self.assertEqual(self.find("#viewer").get_attribute("data-chosen"), button.text)
        self.assertEqual(self.find("tr[aria-selected='true']").get_attribute("data-defect"), button.text)
        figures[3].find_element(By.CSS_SELECTOR, ".enlarge").click()
        large, small = (self.screen_box(e) for e in (self.find("#lightbox img"), figures[3].find_element(By.TAG_NAME, "img")))
        self.assertGreater(large["right"] - large["left"], 2 * (small["right"] - small["left"]))
        self.find("#lightbox button").click()

    def test_regions_say_their_family_and_confidence_and_sort_by_it(self):
        self.open("photometric", unfold=True)
        heading = next(h for h in self.browser.find_elements(By.CSS_SELECTOR, ".regions th button") if h.text.startswith("Confidence"))
        heading.click()
        values = self.js("[...document.querySelectorAll('tr[data-region]')].map(r => parseFloat(r.cells[4].textContent))")
        self.assertEqual(values, sorted(values, reverse=True))
        self.assertLess(values[-1], values[0])
        kinds = {row.get_attribute("data-region"): row.find_elements(By.TAG_NAME, "td")[1].text
                 for row in self.browser.find_elements(By.CSS_SELECTOR, "tr[data-region]")}
        self.assertEqual(kinds["1"], "Edge loss\nby the outline")
        self.assertEqual(kinds["2"].split("\n")[1], "by its glint")
        self.open("scanned")
        self.assertNotIn("Confidence", self.find(".regions thead").text)
        self.assertEqual(self.browser.find_elements(By.CSS_SELECTOR, ".close-up"), [])

    def test_what_is_no_damage_is_shown_apart_and_named(self):
        self.open("photometric")
        legend = self.find(".key").text
        self.assertIn("Glare: light, not damage", legend)
        self.assertIn("Unknown: ", legend)
        pixels = "[...document.querySelector('canvas#' + arguments[0]).getContext('2d').getImageData(...arguments[1]).data]"
        for layer, shown in (("unknown", True), ("glare", False)):
            button, canvas = self.find(f"#layer-{layer}"), self.find(f"canvas#{layer}")
            self.assertEqual(button.get_attribute("aria-pressed"), str(shown).lower())
            self.assertEqual(canvas.is_displayed(), shown)
            button.click()
            self.assertEqual(canvas.is_displayed(), not shown)
        width, height = (int(self.find("#viewer").get_attribute(f"data-{side}")) for side in ("width", "height"))
        self.assertEqual(self.js(pixels, "glare", [width // 2, height // 2, 1, 1])[3], 105)
        self.assertEqual(self.js(pixels, "glare", [width - 1, height - 1, 1, 1])[3], 0)
        corner = self.js(pixels, "unknown", [0, 0, 40, 1])
        stripes = {tuple(corner[i:i + 3]) for i in range(0, len(corner), 4) if corner[i + 3]}
        self.assertGreaterEqual(len(stripes), 2, "light and dark stripes")
        self.assertTrue(any(corner[i + 3] == 0 for i in range(0, len(corner), 4)), "gaps between them")
        self.assertEqual(self.js(pixels, "unknown", [width - 1, height - 1, 1, 1])[3], 0)
        self.open("scanned")
        self.assertEqual(self.browser.find_elements(By.CSS_SELECTOR, ".key, #layer-glare, #layer-unknown"), [])

    def test_a_good_copy_can_be_shown_beside_the_changes_of_colour(self):
        self.open("compared", unfold=True)
        for button, layer in (("#layer-colour", "canvas#colour"), ("#layer-copy", "#copy")):
            shown = self.find(layer).is_displayed()
            self.assertEqual(self.find(button).get_attribute("aria-pressed"), str(shown).lower())
            self.find(button).click()
            self.assertNotEqual(self.find(layer).is_displayed(), shown, button)
        self.assertEqual(self.find("#left-label").text.lower(), "good copy")
        kinds = [cell.text for cell in self.browser.find_elements(By.CSS_SELECTOR, ".regions td:nth-child(2)")]
        self.assertEqual(sorted(kind for kind in kinds if kind[:5] in ("Stain", "Fadin")),
                         ["Fading new\nby the good copy", "Stain\nby the good copy"])
        row = self.js("[...document.querySelectorAll('tr[data-region]')].find((r) => r.cells[1].textContent.startsWith('Stain'))")
        box = [int(number) for number in row.get_attribute("data-box").split(",")]
        blue = self.js("""(() => {
            const [x, y, w, h] = arguments[0];
            const data = document.querySelector('canvas#colour').getContext('2d').getImageData(x, y, w, h).data;
            let count = 0;
            for (let i = 0; i < data.length; i += 4) count += data[i] === 20 && data[i + 2] === 255 ? 1 : 0;
            return count;
        })()""", box)
        self.assertGreater(blue, 0)
        self.open("scanned")
        self.assertEqual(self.browser.find_elements(By.CSS_SELECTOR, "#layer-colour, #layer-copy, #copy"), [])

    def test_the_mask_is_drawn_where_the_damage_is(self):
        self.open("scanned")
        box = self.find("tr[data-region='1']").get_attribute("data-box").split(",")
        right, top = int(box[0]) + int(box[2]) - 4, int(box[1]) + 4
        pixel = "[...document.querySelector('canvas#mask').getContext('2d').getImageData(arguments[0], arguments[1], 1, 1).data]"
        self.assertEqual(self.js(pixel, right, top), [255, 32, 78, 150])
        self.assertEqual(self.js(pixel, 3, 3)[3], 0)

    def test_the_table_sorts(self):
        self.open("long")
        values = lambda column: self.js(
            "[...document.querySelectorAll('tr[data-region]')].map(r => Number(r.cells[arguments[0]].dataset.value))", column)
        heading = self.browser.find_elements(By.CSS_SELECTOR, ".regions th button")[4]
        heading.click()
        self.assertEqual(values(4), sorted(values(4), reverse=True))
        heading.click()
        self.assertEqual(values(4), sorted(values(4)))
        self.assertEqual(self.js("document.querySelectorAll('tr[data-region]').length"), 200)

    def test_golden_frames_open_large_and_are_marked_in_the_charts(self):
        self.open("scanned", unfold=True)
        self.assertEqual(len(self.browser.find_elements(By.CSS_SELECTOR, "#motion-chart .marker")), 5)
        self.find(".golden .enlarge").click()
        self.assertTrue(self.find("#lightbox").is_displayed())
        self.find("#lightbox button").click()
        self.assertFalse(self.find("#lightbox").is_displayed())
        plot = self.find("#sharpness-chart .plot")
        ActionChains(self.browser).move_to_element_with_offset(plot, 40, 0).perform()
        self.assertIn(" s", self.find(".probe").text)

    def test_says_unknown_for_what_could_not_be_seen(self):
        self.open("unknown")
        self.assertEqual(self.find(".tile strong").text, "unknown")
        self.assertEqual({part.text for part in self.browser.find_elements(By.CSS_SELECTOR, ".part em")}, {"unknown"})

    def test_a_scan_without_usable_frames_says_why_and_what_to_do(self):
        self.open("unusable")
        text = self.find("body").text
        for part in ("No frame was steady enough", "Hold the phone still", "The nearest misses", "limit 2.00 px"):
            self.assertIn(part, text)
        self.assertEqual(self.browser.find_elements(By.ID, "viewer"), [])
        self.open("one_frame")
        self.assertIn("at least two", self.find("body").text)

    def test_a_scan_that_was_not_judged_says_why_and_gives_no_percentage(self):
        self.open("unjudged")
        text = self.find("body").text
        for part in ("Not judged", "second 2.5", "no object stands out", "Golden frames"):
            self.assertIn(part, text)
        for part in ("Damaged surface", "Regions", "dropped", "the masks rest"):
            self.assertNotIn(part, text)
        self.assertEqual(self.browser.find_elements(By.ID, "viewer"), [])
        self.assertEqual(len(self.browser.find_elements(By.CSS_SELECTOR, ".notice.advice li")), 1)
        self.assertEqual(self.browser.find_elements(By.CSS_SELECTOR, ".tile.damaged"), [])

    def test_text_of_strangers_stays_text(self):
        self.open("hostile")
        self.assertFalse(self.js("'hacked' in window"))
        self.assertIn("<script>window.hacked=1</script>", self.find(".what b").text)
        self.assertEqual(self.js("document.querySelectorAll('img[src=x]').length"), 0)
        self.assertEqual(self.js("document.scripts.length"), 1)

    def test_everything_has_a_name(self):
        for sample in ("scanned", "photometric", "unusable", "unjudged"):
            self.open(sample)
            self.assertEqual(self.js("[...document.querySelectorAll('button, [role=slider], a')].filter("
                                     "e => !(e.getAttribute('aria-label') || e.textContent.trim())).length"), 0)
            self.assertEqual(self.js("[...document.querySelectorAll('main img')].filter(e => !e.alt).length"), 0)
            ids = self.js("[...document.querySelectorAll('[id]')].map(e => e.id)")
            self.assertEqual(len(ids), len(set(ids)))

    @unittest.skipUnless(SCREENSHOTS, "no folder for screenshots was given")
    def test_screenshots(self):
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        for sample in sorted(path.name for path in SAMPLES.iterdir()):
            for name, size, theme in [(f"{width}_{theme}", (width, 800), theme)
                                      for width in WIDTHS for theme in ("light", "dark")]:
                self.open(sample, size, theme)
                page = self.browser.execute_cdp_cmd("Page.getLayoutMetrics", {})["cssContentSize"]
                picture = self.browser.execute_cdp_cmd("Page.captureScreenshot", {
                    "captureBeyondViewport": True,
                    "clip": {"x": 0, "y": 0, "width": page["width"], "height": page["height"], "scale": 1}})
                (SCREENSHOTS / f"{sample}_{name}.png").write_bytes(base64.b64decode(picture["data"]))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
