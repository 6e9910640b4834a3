# SPDX-License-Identifier: Apache-2.0
"""What the reference scripts say of one labelled scan, for classic_reference_test.cc.

usage: classic_reference.py REFERENCE_FOLDER LABELS.json OUT_FOLDER PICTURES

Writes PICTURES frames, spread evenly over the clip and rectified by the true corners, and the score
and mask of classic.py for them: shape.txt (pictures, rows, columns), pictures.u8, score.f64, mask.u8.
Exits with 77 where OpenCV for Python is missing.
"""
import sys
from pathlib import Path

try:
    import cv2  # noqa: F401
    import numpy as np
except ImportError:
    sys.exit(77)

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import classic  # noqa: E402
import common  # noqa: E402

scan = common.Scan(sys.argv[2])
out = Path(sys.argv[3])
frames = len(scan.labels["corners"])
wanted = [int(i) for i in np.linspace(0, frames - 1, int(sys.argv[4]))]
images = [image for image, _ in scan.rectified(wanted)]
score = classic.score_map(images)
mask = classic.mask_of(score)

(out / "shape.txt").write_text("%d %d %d\n" % (len(images), *score.shape))
np.stack([common.grey(image) for image in images]).tofile(out / "pictures.u8")
score.astype(np.float64).tofile(out / "score.f64")
mask.astype(np.uint8).tofile(out / "mask.u8")
