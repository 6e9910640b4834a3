# SPDX-License-Identifier: Apache-2.0
"""Validates reports, drawn ones and those of real scans, against the published schemas.

usage: schema_test.py DOCS SAMPLES SCANS
"""
import copy
import json
import pathlib
import sys
import unittest

import jsonschema

DOCS = pathlib.Path(sys.argv[1])
SAMPLES = pathlib.Path(sys.argv[2])
SCANS = pathlib.Path(sys.argv[3])


def load(path):
    def no_constant(name):
        raise ValueError(f"{path} holds {name}")
    return json.loads(path.read_text("utf-8"), parse_constant=no_constant)


def validator(name):
    schema = load(DOCS / f"{name}.schema.json")
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def objects_in(schema, path="#"):
    """Every schema of an object inside a schema, with where it stands."""
    if isinstance(schema, dict):
        if schema.get("type") == "object" and "properties" in schema:
            yield path, schema
        for key, value in schema.items():
            yield from objects_in(value, f"{path}/{key}")
    elif isinstance(schema, list):
        for i, value in enumerate(schema):
            yield from objects_in(value, f"{path}/{i}")


class Schemas(unittest.TestCase):
    def assert_valid(self, folder):
        for name in ("report", "timing"):
            with self.subTest(folder=folder.name, file=name):
                errors = list(validator(name).iter_errors(load(folder / f"{name}.json")))
                self.assertEqual([f"{e.json_path}: {e.message}" for e in errors], [])

    def test_every_sample_is_valid(self):
        folders = sorted(path for path in SAMPLES.iterdir() if path.is_dir())
        self.assertGreaterEqual(len(folders), 7)
        for folder in folders:
            if folder.name == "hostile":  # its names are not among the allowed ones, on purpose
                continue
            self.assert_valid(folder)

    def test_a_page_stays_under_a_megabyte_and_a_half_whatever_is_in_it(self):
        pages = {path.parent.name: path.stat().st_size for path in (*SAMPLES.glob("*/report.html"),
                                                                    *SCANS.glob("*/report.html"))}
        self.assertIn("long", pages)
        self.assertEqual({name: size for name, size in pages.items() if size >= 1_500_000}, {})

    def test_what_scans_leave_is_valid(self):
        reports = {path.name: load(path / "report.json") for path in sorted(SCANS.iterdir())}
        self.assertEqual(set(reports), {"both", "classic", "compared", "photometric", "surface", "unusable"})
        for name in reports:
            self.assert_valid(SCANS / name)
        for name in set(reports) - {"unusable"}:  # a report without regions proves little
            self.assertGreater(len(reports[name]["regions"]), 0, name)
        families = {name: {region.get("family") for region in report["regions"]}
                    for name, report in reports.items()}
        self.assertEqual(families["classic"], {None})
        self.assertIn("lines", families["photometric"])
        self.assertIn("static", families["surface"])
        self.assertEqual(reports["compared"]["reference"]["scan_id"], reports["photometric"]["scan_id"])
        self.assertEqual(reports["unusable"]["outcome"], "no_usable_frames")

    def test_schemas_are_strict_and_described(self):
        for name in ("report", "timing"):
            for path, schema in objects_in(validator(name).schema):
                with self.subTest(schema=name, at=path):
                    self.assertIs(schema["additionalProperties"], False)
                    self.assertLessEqual(set(schema["required"]), set(schema["properties"]))
                    for field in set(schema["properties"]) - set(schema["required"]):
                        self.assertRegex(schema["properties"][field]["description"],
                                         "only of (the photometric detector|a scan of both sides)", field)
                    for field, rule in schema["properties"].items():
                        self.assertIn("description", rule, field)

    def test_wrong_reports_are_refused(self):
        good = load(SAMPLES / "scanned" / "report.json")
        check = validator("report")
        self.assertTrue(check.is_valid(good))

        def breaks(change):
            bad = copy.deepcopy(good)
            change(bad)
            self.assertFalse(check.is_valid(bad))

        breaks(lambda r: r.update(extra=1))
        breaks(lambda r: r.pop("advice"))
        breaks(lambda r: r.update(schema_version=2))
        breaks(lambda r: r.update(object=None))
        breaks(lambda r: r["object"]["corners"].pop())
        breaks(lambda r: r["regions"][0].update(kind="dent"))
        breaks(lambda r: r["frames"][3].update(clipped=1.5))
        breaks(lambda r: r.update(damaged_percent="unknown"))
        breaks(lambda r: r.update(glare_percent=101))
        breaks(lambda r: r.update(reference={"file": "a.png"}))
        breaks(lambda r: r["regions"][0].update(new="yes"))

    def test_what_the_views_say_of_regions_is_described(self):
        good = load(SAMPLES / "photometric" / "report.json")
        check = validator("report")
        self.assertEqual({region["family"] for region in good["regions"]}, {"lines", "outline"})
        frames = {frame["index"] for frame in good["frames"]}
        self.assertTrue(all(region["best_frame"] in frames for region in good["regions"]))
        for change in ({"family": "scratches"}, {"confidence": 1.5}, {"best_frame": -1}):
            bad = copy.deepcopy(good)
            bad["regions"][0].update(change)
            self.assertFalse(check.is_valid(bad), change)

    def test_a_comparison_is_described(self):
        good = load(SAMPLES / "compared" / "report.json")
        check = validator("report")
        self.assertTrue(check.is_valid(good))
        self.assertEqual(good["reference"]["scan_id"], "earlier")
        self.assertIn("stain", {region["kind"] for region in good["regions"]})
        image = copy.deepcopy(good)
        image["reference"].update(scan_id=None)
        image["reference"].pop("new_regions")
        self.assertTrue(check.is_valid(image))
        for key in ("file", "scan_id", "compared_percent", "changed_percent"):
            bad = copy.deepcopy(good)
            bad["reference"].pop(key)
            self.assertFalse(check.is_valid(bad), key)
        bad = copy.deepcopy(good)
        bad["reference"].update(changed_percent=101)
        self.assertFalse(check.is_valid(bad))

    def test_both_sides_are_described_and_the_back_has_a_report_of_its_own(self):
        check = validator("report")
        for folder in (SAMPLES / "both_sides", SAMPLES / "back_unjudged", SCANS / "both"):
            with self.subTest(folder=folder.name):
                front, back = load(folder / "report.json"), load(folder / "back" / "report.json")
                self.assertTrue(check.is_valid(front))
                self.assertTrue(check.is_valid(back))
                self.assertNotIn("both_sides", back)
                short = front["both_sides"]["back"]
                self.assertEqual((short["outcome"], short["damaged_percent"]), (back["outcome"], back["damaged_percent"]))
                for key in front["both_sides"]:
                    bad = copy.deepcopy(front)
                    bad["both_sides"].pop(key)
                    self.assertFalse(check.is_valid(bad), key)
        unjudged = load(SAMPLES / "back_unjudged" / "report.json")["both_sides"]
        self.assertEqual([unjudged["back"][key] for key in ("damaged_percent", "defects", "severity", "verdict")], [None] * 4)
        self.assertEqual(unjudged["notes"], ["The back was not judged: no object stands out."])

    def test_an_assessment_is_described_and_adds_up(self):
        good = load(SAMPLES / "photometric" / "report.json")
        check = validator("report")
        self.assertTrue(check.is_valid(good))
        found = good["assessment"]
        self.assertTrue(found["defects"])
        self.assertEqual([axis["name"] for axis in found["axes"]], ["centering", "corners", "edges", "surface"])
        self.assertLessEqual({defect["region"] for defect in found["defects"]}, {r["id"] for r in good["regions"]})
        self.assertEqual(sum(part["defects"] for part in found["parts"]), len(found["defects"]))
        seen, damaged = (sum(part[key] for part in found["parts"]) for key in ("seen_px", "damaged_px"))
        self.assertLessEqual(seen, good["object"]["size"][0] * good["object"]["size"][1])
        self.assertEqual(damaged, sum(defect["area_px"] for defect in found["defects"]))
        for key in found:
            bad = copy.deepcopy(good)
            bad["assessment"].pop(key)
            self.assertFalse(check.is_valid(bad), key)
        for change in ({"severity": "awful"}, {"name": "hole"}, {"axis": "centering"}, {"part": None}):
            bad = copy.deepcopy(good)
            bad["assessment"]["defects"][0].update(change)
            self.assertFalse(check.is_valid(bad), change)

    def test_samples_cover_what_can_be_unknown(self):
        unknown = load(SAMPLES / "unknown" / "report.json")
        self.assertIsNone(unknown["damaged_percent"])
        self.assertTrue(all(r["damaged_percent"] is None for r in unknown["named_regions"]))
        unusable = load(SAMPLES / "unusable" / "report.json")
        self.assertEqual(unusable["outcome"], "no_usable_frames")
        self.assertIsNone(unusable["object"])
        self.assertEqual(len(unusable["selection"]["near_misses"]), 5)

    def test_a_scan_that_was_not_judged_has_one_piece_of_advice_and_no_percentage(self):
        good = load(SAMPLES / "unjudged" / "report.json")
        check = validator("report")
        self.assertTrue(check.is_valid(good))
        self.assertEqual(good["not_judged"], {"cause": "no_object", "timestamp_us": 2500000})
        self.assertIsNone(good["damaged_percent"])
        for change in ({"damaged_percent": 0.0}, {"advice": []}, {"advice": ["one", "two"]},
                       {"not_judged": {"cause": "rain", "timestamp_us": 0}}, {"outcome": "scanned"}):
            self.assertFalse(check.is_valid({**good, **change}), change)
        good.pop("not_judged")
        self.assertFalse(check.is_valid(good))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
