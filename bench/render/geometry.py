"""Where points of the sheet lie in the frames, by the true surface and the poses that Blender used."""
import json

import cv2
import numpy as np

F = np.float32


class Geometry:
    """Millimetres on the sheet (from the top left, y down) to pixels of a frame (centres at integers)."""

    def __init__(self, folder, scale=1.0):
        with open(folder / "poses.json") as file:
            poses = json.load(file)
        self.mm, self.focal_px = poses["mm"], poses["focal_px"] * scale
        self.size_px = tuple(int(s * scale) for s in poses["size_px"])
        self.camera = np.array([p["camera"] for p in poses["poses"]])
        self.object = np.array([p["object"] for p in poses["poses"]])
        self.height = np.load(folder / "height.npy").astype(F)

    def surface(self, x, y):
        """Points in space (m, of the sheet's own frame, homogeneous) of x, y in mm."""
        rows, columns = self.height.shape
        u, v = (np.atleast_2d(a * (n - 1) / s).astype(F) for a, n, s in ((x, columns, self.mm[0]), (y, rows, self.mm[1])))
        z = cv2.remap(self.height, u, v, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE).reshape(np.shape(x))
        return np.stack([(x - self.mm[0] / 2) / 1000, (self.mm[1] / 2 - y) / 1000, z / 1000, np.ones_like(z)], -1)

    def project(self, points, frame):
        seen = points @ (np.linalg.inv(self.camera[frame]) @ self.object[frame]).T
        width, height = self.size_px
        x = width / 2 - self.focal_px * seen[..., 0] / seen[..., 2] - 0.5
        y = height / 2 + self.focal_px * seen[..., 1] / seen[..., 2] - 0.5
        return np.stack([x, y], -1)

    def corners(self, frame):
        """TL, TR, BR, BL in pixels."""
        width, height = (float(s) for s in self.mm)
        return self.project(self.surface(np.array([0, width, width, 0]), np.array([0, 0, height, height])), frame)
