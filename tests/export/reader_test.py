# SPDX-License-Identifier: Apache-2.0
"""Reads exports of real scans as other programs do, and compares them with the masks.

usage: reader_test.py GLINT SCANS

The decoders here are written from the formats' descriptions; as_pycocotools does step by step what the C code of
pycocotools does, which Debian does not have.
"""
import base64
import csv
import io
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

import cv2
import numpy as np

GLINT = pathlib.Path(sys.argv[1]).resolve()
SCANS = pathlib.Path(sys.argv[2]).resolve()
JUDGED = ("both", "classic", "compared", "photometric", "surface")


def export(*arguments, folder=SCANS):
    done = subprocess.run([GLINT, "export", *arguments], cwd=folder, capture_output=True, check=False)
    if done.returncode != 0:
        raise AssertionError(done.stderr.decode())
    return done.stdout.decode()


def mask_of(name):
    return cv2.imread(str(SCANS / name / "mask.png"), cv2.IMREAD_GRAYSCALE) > 0


def from_counts(text, height, width):
    """COCO's compressed run lengths."""
    counts, at = [], 0
    while at < len(text):
        value, shift, more = 0, 0, True
        while more:
            bits = ord(text[at]) - 48
            value |= (bits & 0x1F) << shift
            shift, at, more = shift + 5, at + 1, bits & 0x20
            if not more and bits & 0x10:
                value |= -1 << shift
        counts.append(value + counts[-2] if len(counts) > 2 else value)
    if sum(counts) != height * width:
        raise AssertionError(f"{sum(counts)} pixels in {width}x{height}")
    flat = np.repeat(np.arange(len(counts)) % 2 == 1, counts)
    return flat.reshape(width, height).T


def from_polygons(polygons, height, width):
    """Fills between borders of pixels: a pixel is inside where the borders left of it are odd in number."""
    crossings = np.zeros((height, width + 1), np.int32)
    for points in polygons:
        corners = np.reshape(np.round(points).astype(int), (-1, 2))
        for (x0, y0), (x1, y1) in zip(corners, np.roll(corners, -1, axis=0)):
            if x0 != x1 and y0 != y1:
                raise AssertionError("a border that is neither level nor upright")
            crossings[min(y0, y1):max(y0, y1), x0] += 1
    return np.cumsum(crossings, axis=1)[:, :width] % 2 == 1


def pycocotools_outline(points, height, width):
    """rleFrPoly: the outline on a grid five times as fine, its crossings of the columns' centres, sorted."""
    scale = 5
    corners = [(int(scale * x + 0.5), int(scale * y + 0.5)) for x, y in np.reshape(points, (-1, 2))]
    u, v = [], []
    for (xs, ys), (xe, ye) in zip(corners, corners[1:] + corners[:1]):
        dx, dy = abs(xe - xs), abs(ye - ys)
        flip = xs > xe if dx >= dy else ys > ye
        if flip:
            xs, ys, xe, ye = xe, ye, xs, ys
        length = max(dx, dy)
        slope = 0 if length == 0 else ((ye - ys) if dx >= dy else (xe - xs)) / length
        steps = range(length, -1, -1) if flip else range(length + 1)
        for t in steps:
            u.append(t + xs if dx >= dy else int(xs + slope * t + 0.5))
            v.append(int(ys + slope * t + 0.5) if dx >= dy else t + ys)
    u, v = np.array(u), np.array(v)
    turned = np.nonzero(u[1:] != u[:-1])[0] + 1
    x = (np.where(u[turned] < u[turned - 1], u[turned], u[turned] - 1) + 0.5) / scale - 0.5
    y = np.ceil(np.clip((np.minimum(v[turned], v[turned - 1]) + 0.5) / scale - 0.5, 0, height))
    on_grid = (np.floor(x) == x) & (x >= 0) & (x <= width - 1)
    crossings = np.sort((x * height + y)[on_grid].astype(np.int64))
    flat = np.zeros(height * width + 1, np.int64)
    np.add.at(flat, crossings, 1)
    return (np.cumsum(flat[:-1]) % 2 == 1).reshape(width, height).T


def as_pycocotools(segmentation, height, width):
    """annToMask: run lengths as they are; polygons each by itself, then all that any of them holds."""
    if isinstance(segmentation, dict):
        return from_counts(segmentation["counts"], height, width)
    mask = np.zeros((height, width), bool)
    for points in segmentation:
        mask |= pycocotools_outline(points, height, width)
    return mask


class Export(unittest.TestCase):
    def assert_tile(self, masks, mask, name):
        """Each marked pixel belongs to one of the masks, and no other pixel does."""
        total = np.zeros(mask.shape, np.int32)
        for part in masks:
            total += part
        self.assertEqual(int(total.max()), 1, name)
        self.assertTrue(np.array_equal(total > 0, mask), name)

    def test_coco_masks_are_the_mask_to_the_pixel(self):
        for shapes in ("mask", "polygon"):
            coco = json.loads(export("--format", "coco", "--shapes", shapes, *JUDGED))
            names = {category["id"]: category["name"] for category in coco["categories"]}
            self.assertIn("spine_tick", names.values())
            self.assertEqual(len(coco["images"]), len(JUDGED))
            for image in coco["images"]:
                height, width = image["height"], image["width"]
                own = [a for a in coco["annotations"] if a["image_id"] == image["id"]]
                masks = []
                for annotation in own:
                    shape = annotation["segmentation"]
                    if shapes == "mask":
                        self.assertEqual(shape["size"], [height, width])
                        masks.append(from_counts(shape["counts"], height, width))
                    else:
                        masks.append(from_polygons(shape, height, width))
                    self.assertEqual(int(masks[-1].sum()), annotation["area"])
                    ys, xs = np.nonzero(masks[-1])
                    self.assertEqual([xs.min(), ys.min(), xs.max() - xs.min() + 1, ys.max() - ys.min() + 1],
                                     annotation["bbox"])
                    if image["scan_id"] == "classic":
                        self.assertEqual(names[annotation["category_id"]], "damage")
                self.assert_tile(masks, mask_of(pathlib.Path(image["file_name"]).parent.name), image["file_name"])
                self.assertTrue((SCANS / image["file_name"]).exists())

    def test_defects_have_their_trade_names(self):
        report = json.loads((SCANS / "photometric/report.json").read_text())
        coco = json.loads(export("--format", "coco", "photometric"))
        names = {category["id"]: category["name"] for category in coco["categories"]}
        defects = {defect["id"]: defect for defect in report["assessment"]["defects"]}
        self.assertGreater(len(defects), 0)
        named = {a["attributes"]["defect"]: a for a in coco["annotations"] if "defect" in a["attributes"]}
        self.assertEqual(set(named), set(defects))
        for number, annotation in named.items():
            self.assertEqual(names[annotation["category_id"]], defects[number]["name"])
            self.assertEqual(annotation["area"], defects[number]["area_px"])
            self.assertEqual(annotation["attributes"]["severity"], defects[number]["severity"])

    def test_frame_coordinates_lie_on_the_reference_frame(self):
        report = json.loads((SCANS / "photometric/report.json").read_text())
        golden = next(g for g in report["golden_frames"] if g["frame"] == report["object"]["reference_frame"])
        coco = json.loads(export("--format", "coco", "--coordinates", "frame", "photometric"))
        image = coco["images"][0]
        self.assertEqual(pathlib.Path(image["file_name"]).name, golden["picture"])
        picture = cv2.imread(str(SCANS / image["file_name"]))
        self.assertEqual(picture.shape[:2], (image["height"], image["width"]))
        height, width = picture.shape[:2]
        mask = np.zeros((height, width), bool)
        for annotation in coco["annotations"]:
            mask |= from_counts(annotation["segmentation"]["counts"], height, width)
        frame_from_object = np.reshape(golden["frame_from_object"], (3, 3))
        expected = cv2.warpPerspective(mask_of("photometric").astype(np.uint8), frame_from_object, (width, height),
                                       flags=cv2.INTER_NEAREST) > 0
        self.assertLess(int((mask ^ expected).sum()), 0.02 * expected.sum() + 2)  # OpenCV rounds to 1/32 px

    def test_pycocotools_reads_the_same(self):
        for shapes in ("mask", "polygon"):
            coco = json.loads(export("--format", "coco", "--shapes", shapes, *JUDGED))
            for key in ("images", "annotations", "categories"):  # its index is by these ids
                ids = [one["id"] for one in coco[key]]
                self.assertEqual(len(ids), len(set(ids)), key)
            images = {image["id"]: image for image in coco["images"]}
            masks = {image: [] for image in images}
            for annotation in coco["annotations"]:
                image = images[annotation["image_id"]]
                mask = as_pycocotools(annotation["segmentation"], image["height"], image["width"])
                self.assertEqual(int(mask.sum()), annotation["area"], shapes)
                masks[image["id"]].append(mask)
            for image, own in masks.items():
                name = pathlib.Path(images[image]["file_name"]).parent.name
                self.assert_tile(own, mask_of(name), name)

    def test_cvat_reads_its_own_shapes(self):
        for shapes in ("mask", "polygon"):
            root = xml.etree.ElementTree.fromstring(export("--format", "cvat", "--shapes", shapes, *JUDGED))
            self.assertEqual(root.tag, "annotations")
            self.assertEqual(root.findtext("version"), "1.1")
            labels = {label.findtext("name") for label in root.iterfind("meta/task/labels/label")}
            for image in root.iterfind("image"):
                height, width = int(image.get("height")), int(image.get("width"))
                masks = []
                for shape in image:
                    self.assertIn(shape.get("label"), labels)
                    self.assertIn(shape.get("occluded"), ("0", "1"))
                    mask = np.zeros((height, width), bool)
                    if shapes == "mask":
                        left, top, w, h = (int(shape.get(key)) for key in ("left", "top", "width", "height"))
                        runs = [int(run) for run in shape.get("rle").split(",")]
                        self.assertEqual(sum(runs), w * h)
                        mask[top:top + h, left:left + w] = np.repeat(np.arange(len(runs)) % 2 == 1,
                                                                     runs).reshape(h, w)
                    else:
                        points = [float(v) for point in shape.get("points").split(";") for v in point.split(",")]
                        mask = from_polygons([points], height, width)
                    masks.append(mask)
                self.assert_tile(masks, mask_of(pathlib.Path(image.get("name")).parent.name), image.get("name"))

    def test_labelme_files_hold_what_labelme_loads(self):
        for shapes in ("mask", "polygon"):
            with tempfile.TemporaryDirectory() as out:
                export("--format", "labelme", "--shapes", shapes, "--out", out, *JUDGED)
                files = sorted(pathlib.Path(out).iterdir())
                self.assertEqual([file.name for file in files], sorted(f"{name}.json" for name in JUDGED))
                for file in files:
                    self.check_labelme(file)

    def check_labelme(self, file):
        label = json.loads(file.read_text())
        self.assertLessEqual({"version", "flags", "shapes", "imagePath", "imageData", "imageHeight", "imageWidth"},
                             set(label))
        height, width = label["imageHeight"], label["imageWidth"]
        self.assertTrue((file.parent / label["imagePath"]).resolve().exists(), label["imagePath"])
        masks = []
        for shape in label["shapes"]:
            mask = np.zeros((height, width), bool)
            if shape["shape_type"] == "mask":
                (left, top), (right, bottom) = shape["points"]
                png = np.frombuffer(base64.b64decode(shape["mask"]), np.uint8)
                mask[top:bottom + 1, left:right + 1] = cv2.imdecode(png, cv2.IMREAD_GRAYSCALE) > 0
            else:
                self.assertEqual(shape["shape_type"], "polygon")
                mask = from_polygons([np.ravel(shape["points"])], height, width)
            masks.append(mask)
        name = pathlib.Path(label["imagePath"]).parent.name
        self.assert_tile(masks, mask_of(name), name)

    def test_csv_has_a_row_per_annotation(self):
        rows = list(csv.DictReader(io.StringIO(export("--format", "csv", *JUDGED), newline="")))
        for name in JUDGED:
            own = [row for row in rows if pathlib.Path(row["file"]).parent.name == name]
            self.assertEqual(sum(int(row["area_px"]) for row in own), int(mask_of(name).sum()))
        report = json.loads((SCANS / "photometric/report.json").read_text())
        named = [row for row in rows if pathlib.Path(row["file"]).parent.name == "photometric" and row["defect"]]
        self.assertEqual(sorted(row["name"] for row in named),
                         sorted(defect["name"] for defect in report["assessment"]["defects"]))

    def test_glint_reads_what_it_writes(self):
        for coordinates, least in (("object", 1.0), ("frame", 0.999)):
            for shapes in ("mask", "polygon"):
                with tempfile.TemporaryDirectory() as folder:
                    coco = pathlib.Path(folder) / "coco.json"
                    export("--coordinates", coordinates, "--shapes", shapes, "--out", coco, *JUDGED)
                    subprocess.run([GLINT, "eval", coco, "--reports", SCANS, "--out", folder], capture_output=True,
                                   check=True)
                    evaluation = json.loads((pathlib.Path(folder) / "evaluation.json").read_text())
                    self.assertEqual(evaluation["failed"], 0)
                    for result in evaluation["results"]:
                        self.assertGreaterEqual(result["all"]["f"], least, result["name"])
                    xml.etree.ElementTree.parse(pathlib.Path(folder) / "precision_recall.svg")
                    self.assertGreaterEqual(evaluation["average_precision"], least - 0.001)

    def test_a_folder_of_masks_is_labels(self):
        with tempfile.TemporaryDirectory() as folder:
            masks = pathlib.Path(folder) / "masks"
            masks.mkdir()
            for name in JUDGED:
                shutil.copy(SCANS / name / "mask.png", masks / f"{name}.png")
            done = subprocess.run([GLINT, "eval", masks, "--reports", SCANS, "--out", folder], capture_output=True,
                                  check=True)
            evaluation = json.loads((pathlib.Path(folder) / "evaluation.json").read_text())
            self.assertEqual([result["all"]["f"] for result in evaluation["results"]], [1.0] * len(JUDGED))
            self.assertIn(b"average precision 1.000", done.stdout)
            done = subprocess.run([GLINT, "eval", masks], capture_output=True, check=False)
            self.assertEqual(done.returncode, 2)
            self.assertIn(b"--reports", done.stderr)

    def test_a_scan_that_judged_nothing_is_left_out_and_said_to_be(self):
        done = subprocess.run([GLINT, "export", "."], cwd=SCANS, capture_output=True, check=True)
        self.assertEqual(len(json.loads(done.stdout)["images"]), len(JUDGED))
        self.assertIn(b"unusable", done.stderr)

    def test_what_is_no_result_is_named(self):
        with tempfile.TemporaryDirectory() as empty:
            done = subprocess.run([GLINT, "export", empty], capture_output=True, check=False)
            self.assertEqual(done.returncode, 3)
            self.assertIn(b"report.json", done.stderr)
            (pathlib.Path(empty) / "report.json").write_text("{")
            done = subprocess.run([GLINT, "export", empty], capture_output=True, check=False)
            self.assertEqual(done.returncode, 3)
            self.assertNotIn(b"exception", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
