# SPDX-License-Identifier: Apache-2.0
"""Compares glint's measures of a clip with OpenCV's, for measure_reference_test.cc.

usage: measure_reference.py REFERENCE_FOLDER CLIP FOLDER

FOLDER holds what glint measured: shape.txt (frames, rows, columns, motion limit), luma.u8,
measures.f64 (sharpness and motion per frame). Prints the differences, and what would be chosen, as
one JSON object: "bgr_" by the route over colour frames of common.py, "luma_" by OpenCV on glint's
own luma planes.
Exits with 77 where OpenCV for Python is missing.
"""
import itertools
import json
import sys
from pathlib import Path

try:
    import cv2  # noqa: F401
    import numpy as np
except ImportError:
    sys.exit(77)

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import common  # noqa: E402

folder = Path(sys.argv[3])
shape = (folder / "shape.txt").read_text().split()
frames, rows, columns = map(int, shape[:3])
limit = float(shape[3])
ours = np.fromfile(folder / "measures.f64").reshape(frames, 2)
ours[0, 1] = np.nan
luma = np.memmap(folder / "luma.u8", np.uint8, "r", shape=(frames, rows, columns))
bgr = common.measure(itertools.islice(common.frames_of(sys.argv[2]), frames))

sharpness = np.array([common.sharpness(np.array(plane)) for plane in luma])
motion = np.array([common.motion(np.array(a), np.array(b)) for a, b in zip(luma, luma[1:])])
on_luma = np.column_stack([sharpness, np.concatenate([[np.nan], motion])])


def relative(a, b):
    return np.abs(a - b) / b


print(json.dumps({
    "bgr_frames": len(bgr),
    "bgr_sharpness_p99": np.percentile(relative(ours[:, 0], bgr[:, 0]), 99),
    "bgr_motion_p99_px": np.percentile(np.abs(ours[1:, 1] - bgr[1:, 1]), 99),
    "bgr_golden": common.golden(bgr, limit),
    "bgr_sharpness": bgr[:, 0].tolist(),
    "bgr_motion": [0.0] + bgr[1:, 1].tolist(),
    "luma_golden": common.golden(on_luma, limit),
    "luma_steady": (on_luma[:, 1] <= limit).tolist(),
    "luma_sharpness_max": relative(ours[:, 0], sharpness).max(),
    "luma_motion_median": np.median(relative(ours[1:, 1], motion)),
    "luma_motion_p99": np.percentile(relative(ours[1:, 1], motion), 99),
    "luma_motion_max_px": np.abs(ours[1:, 1] - motion).max(),
}))
