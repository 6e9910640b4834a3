"""From a scan's description to what Blender and the labels need: texture maps, the mesh's heights, distances to the damage.

Maps have the print's resolution (Sheet.px mm a pixel), rows go down; heights point to the viewer. FOLDER gets albedo.png (sRGB),
normal.png (16 bit, object space), surface.png (R roughness, G coat, B opaque), height.npy (mm, a point a mm) and defects.npz
(distance in mm to each defect's edge; sheet: 1 where the undamaged object is, so that what a tear lost is damage too).
"""
import cv2
import numpy as np

import prints
from scenes import LINE_KINDS, SHEETS, STOCKS

F = np.float32
PAPER = np.array([0.84, 0.89, 0.91], F)  # BGR of bare paper
FAR = 1e3
PHONE_PX = 1000  # on a sheet's longer side
VISIBLE_GREY = 8  # of the print itself; as many as count of peak_delta


def smoothstep(t):
    t = np.clip(t, 0, 1)
    return t * t * (3 - 2 * t)


class Maps:
    """The maps under construction; each kind of damage adds to them."""

    def __init__(self, scan):
        sheet, stock = SHEETS[scan.sheet], STOCKS[scan.stock]
        self.mm, self.rng = sheet.size, np.random.default_rng(scan.seed + 1)
        self.width, self.height = (int(round(s / sheet.px)) for s in sheet.size)
        self.px = sheet.px
        yy, xx = np.mgrid[0 : self.height, 0 : self.width].astype(F)
        self.x, self.y = (xx + F(0.5)) * F(self.px), (yy + F(0.5)) * F(self.px)
        art = prints.draw(scan.sheet, self.rng, self.height, self.width)
        art = cv2.GaussianBlur(art, (0, 0), 0.12 / self.px)  # ink spreads
        self.albedo = art.astype(F) / 255 * F(0.95) + F(0.02)
        luma = cv2.cvtColor(self.albedo, cv2.COLOR_BGR2GRAY)
        self.rough = F(stock.rough) + F(0.05) * (luma - F(0.5)) + F(0.006) * self.noise(3)
        self.coat = np.full(self.x.shape, stock.coat, F)
        self.sheet = self._rounded(sheet.round_corner)  # before anything is torn away
        self.opaque = self.sheet
        self.bend = self._waves(scan, sheet)  # what the mesh follows
        self.relief = self._grain(stock)  # what only normals show
        self.distances, self.defects = {}, []

    def noise(self, size_mm):
        return prints.noise(self.rng, self.height, self.width, size_mm / self.px)

    def _rounded(self, radius):
        if radius == 0:
            return np.ones(self.x.shape, F)
        dx = np.maximum(np.maximum(radius - self.x, self.x - (self.mm[0] - radius)), 0)
        dy = np.maximum(np.maximum(radius - self.y, self.y - (self.mm[1] - radius)), 0)
        return (np.hypot(dx, dy) <= radius).astype(F)

    def _waves(self, scan, sheet):
        """No sheet lies flat: a few long waves, and a curl across the width."""
        rng, side = np.random.default_rng(scan.seed + 2), max(self.mm)
        wave = np.zeros(self.x.shape, F)
        for _ in range(5):
            turns, angle, phase = rng.uniform(0.45, 1.3), rng.uniform(0, 6.28), rng.uniform(0, 6.28)
            along = F(np.cos(angle)) * self.x + F(np.sin(angle)) * self.y
            wave += F(rng.uniform(0.4, 1)) * np.sin(F(6.28 * turns / side) * along + F(phase))
        wave *= F(sheet.wave / max(np.ptp(wave), 1e-6))
        across = 2 * self.x / F(self.mm[0]) - 1
        return wave - wave.min() + F(sheet.curl) * across * across

    def _grain(self, stock):
        grain = self.noise(stock.grain_size)
        slope = np.gradient(grain, self.px, axis=1).std()
        return (grain * F(stock.grain_slope / (slope + 1e-9))).astype(F)

    def add(self, defect):
        number = len(self.defects) + 1
        entry = dict(id=number, type=defect.kind, severity=defect.severity)
        add = self._add_line if defect.kind in LINE_KINDS else self._add_tear if defect.kind == "tear" else self._add_scuff
        distance, extra = add(defect)
        self.distances[str(number)] = distance.astype(np.float16)
        self.defects.append({**entry, **extra})

    def _share_lost(self, before, distance):
        """The share of a line's middle over which its print changes by as much as counts as visible, as a phone sees it."""
        change = cv2.cvtColor((self.albedo - before).astype(F), cv2.COLOR_BGR2GRAY)
        change = cv2.GaussianBlur(change, (0, 0), 0.5 * max(self.mm) / PHONE_PX / self.px)
        return float((change[distance < 0.75 * self.px] >= VISIBLE_GREY / 255).mean())

    def _lose_ink(self, where):
        self.albedo = self.albedo * (1 - where[..., None]) + PAPER * where[..., None]
        self.coat = self.coat * (1 - where)
        self.rough = self.rough + F(0.35) * where

    def _add_line(self, line):
        start, end = np.array(line.start) * self.mm, np.array(line.end) * self.mm
        length = float(np.hypot(*(end - start)))
        groove = line.kind == "scratch"
        path = polyline(self.rng, start, end, self.rng.uniform(-0.03, 0.03) * length, 0.10 if groove else 0.30)
        distance, along = distances(path, self.x, self.y, 20 if line.fold else 6)
        open_end = [min(p[0], p[1], self.mm[0] - p[0], self.mm[1] - p[1]) < 0.6 for p in (path[0], path[-1])]

        def fade(sharpness):  # towards the ends that do not lie on the rim
            first = 1 if open_end[0] else smoothstep(along * sharpness)
            return first * (1 if open_end[1] else smoothstep((1 - along) * sharpness))

        strength = fade(8) * (1 + F(0.35) * np.clip(self.noise(6), -2, 2))
        profile = np.exp(F(-0.5) * (distance / F(line.sigma)) ** 2)
        self.relief = self.relief + F(-line.relief if groove else line.relief) * profile * strength
        if line.fold:
            reach = min(14.0, 0.25 * length)
            roof = np.clip(1 - distance / F(reach), 0, 1) ** F(2.5)
            self.bend = self.bend + F(line.fold / 2 * reach / 2.5) * roof * fade(2.5)
        if line.rough:
            self.rough = self.rough + F(line.rough) * np.exp(F(-0.5) * (distance / F(1.2 * line.sigma)) ** 2) * fade(8)
        printed = self.albedo
        if line.broken_ink:
            breaks = self.noise(0.5) + F(0.7) * self.noise(2.2)
            level = float(np.quantile(breaks, 1 - line.broken_ink))
            near = np.clip((F(0.8 * line.sigma + self.px) - distance) / F(2 * self.px), 0, 1)
            self._lose_ink((near * np.clip((breaks - level) * 4, 0, 1) * (fade(8) > 0.3)).astype(F))
        lost_ink = self._share_lost(printed, distance) if line.broken_ink else 0.0
        extra = dict(half_mm=1.5 * line.sigma, lost_ink=round(lost_ink, 2))
        return np.where(fade(8) > 0.05, distance, FAR), extra

    def _add_tear(self, tear):
        start, end = np.array(tear.start) * self.mm, np.array(tear.end) * self.mm
        path = polyline(self.rng, start + (start - end) * 0.02, end, self.rng.uniform(-1, 1), 0.5)
        distance, along = distances(path, self.x, self.y, 10)
        half = (1 - along) * F(tear.gap) + F(0.05)
        fibres = np.clip((half + F(0.5) + F(0.25) * self.noise(0.4) - distance) / F(0.15), 0, 1)
        self._lose_ink(fibres.astype(F))
        self.opaque = np.where((distance < half) & (along < 0.985), F(0), self.opaque)
        lip = np.exp(-(np.clip((distance - half) / 3, 0, None) ** 2)) * (distance < 100)
        self.bend = self.bend + F(0.6) * lip * (1 - along)
        return np.where(distance < 100, distance - half, FAR), dict(half_mm=0.55, lost_ink=1.0)

    def _add_scuff(self, scuff):
        side = F(max(self.mm))
        dx = (self.x - F(scuff.centre[0] * self.mm[0])) / (F(scuff.radii[0]) * side)
        dy = (self.y - F(scuff.centre[1] * self.mm[1])) / (F(scuff.radii[1]) * side)
        edge = np.hypot(dx, dy) + F(0.12) * self.noise(2)
        body = (1 / (1 + np.exp(np.clip((edge - 1) * 10, -60, 60)))).astype(F)
        self.rough = self.rough + F(scuff.rough) * body
        self.coat = self.coat * (1 - F(0.7) * body)
        fine = self.rng.standard_normal(self.x.shape).astype(F)
        streaks = cv2.GaussianBlur(fine, (0, 0), sigmaX=2.5 / self.px, sigmaY=0.06 / self.px)
        self.relief = self.relief + F(0.004) * streaks / streaks.std() * body
        return (edge - 1) * 4, dict(half_mm=0.0, lost_ink=0.0)

    def save(self, folder):
        fast = [cv2.IMWRITE_PNG_COMPRESSION, 1]
        gy, gx = np.gradient(self.bend + self.relief, self.px)
        normal = np.dstack([-gx, gy, np.ones_like(gx)])  # the object's y points up, rows go down
        normal /= np.linalg.norm(normal, axis=2, keepdims=True)
        cv2.imwrite(str(folder / "normal.png"), ((normal * 0.5 + 0.5) * 65535 + 0.5).astype(np.uint16)[..., ::-1], fast)
        cv2.imwrite(str(folder / "albedo.png"), (np.clip(self.albedo, 0, 1) * 255 + 0.5).astype(np.uint8), fast)
        surface = np.clip(np.dstack([self.opaque, self.coat, self.rough]), 0, 1)
        cv2.imwrite(str(folder / "surface.png"), (surface * 255 + 0.5).astype(np.uint8), fast)
        across, down = (int(round(s)) + 1 for s in self.mm)
        x, y = (np.linspace(0, s, n) / self.px - 0.5 for s, n in zip(self.mm, (across, down)))
        smooth = cv2.GaussianBlur(self.bend.astype(F), (0, 0), 0.5 / self.px)
        grid = np.meshgrid(x.astype(F), y.astype(F))
        np.save(folder / "height.npy", cv2.remap(smooth, *grid, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE))
        np.savez_compressed(folder / "defects.npz", sheet=self.sheet.astype(np.uint8), **self.distances)


def polyline(rng, start, end, bend, jitter):
    """Points every 1.5 mm from start to end, bent in the middle, a little uneven."""
    count = max(10, int(np.hypot(*(end - start)) / 1.5))
    t = np.linspace(0, 1, count)
    normal = np.array([start[1] - end[1], end[0] - start[0]]) / (np.hypot(*(end - start)) + 1e-9)
    uneven = np.convolve(rng.standard_normal(count + 6), np.ones(7) / 7, "valid") * np.minimum(1, 8 * np.minimum(t, 1 - t))
    return np.outer(1 - t, start) + np.outer(t, end) + (bend * np.sin(np.pi * t) + jitter * uneven)[:, None] * normal


def distances(path, x, y, reach):
    """Distance (mm) of every pixel to a polyline, FAR beyond `reach`, and the position along it (0 to 1)."""
    nearest, along = np.full(x.shape, F(FAR)), np.zeros(x.shape, F)
    step = float(x[0, 1] - x[0, 0])
    for k, (a, b) in enumerate(zip(path[:-1], path[1:])):
        low = np.maximum((np.minimum(a, b) - reach) / step, 0).astype(int)
        high = ((np.maximum(a, b) + reach) / step + 2).astype(int)
        part = (slice(low[1], max(low[1], high[1])), slice(low[0], max(low[0], high[0])))
        if nearest[part].size == 0:
            continue
        length = float(np.hypot(*(b - a))) + 1e-9
        ux, uy = (b - a) / length
        dx, dy = x[part] - F(a[0]), y[part] - F(a[1])
        s = np.clip(dx * F(ux) + dy * F(uy), 0, F(length))
        d = np.hypot(dx - s * F(ux), dy - s * F(uy))
        closer = (d < nearest[part]) & (d < reach)
        nearest[part][closer] = d[closer]
        along[part][closer] = ((k + s / F(length)) / (len(path) - 1))[closer]
    return nearest, along


def make(scan, folder):
    """Writes all maps of a scan into `folder` and gives the list of its defects."""
    folder.mkdir(parents=True, exist_ok=True)
    maps = Maps(scan)
    for defect in scan.damage:
        maps.add(defect)
    maps.save(folder)
    return maps.defects
