"""Labels of a rendered scan: where the damage lies, and how much of it a careful person sees in the encoded video.

`peak_delta` is the change of a defect against its surroundings: the largest over the frames of the 85th percentile over its
pixels of |difference to the surroundings, minus its median over time|, in grey levels. What looks alike in all frames has 0.
`parallel_delta` is the same measure on the line's own parallels, 8 to 20 px beside it, where nothing is damaged (their median):
what gloss, contours and noise show there. A line whose `peak_delta` is not clearly more cannot be told from them by anybody.
`lost_ink` is the share of a line's middle over which lost ink changes the print by 8 grey levels or more: visible in a single
frame. Where the print is as white as paper no ink can be lost.
"""
import json

import cv2
import numpy as np

from scenes import FPS

F = np.float32
AREAS = ("scuff", "tear")
PARALLELS_PX = (-20, -16, -12, -8, 8, 12, 16, 20)


def flat_size(corners):
    """Object pixels, as the project counts them: the mean lengths of opposite sides."""
    sides = np.linalg.norm(np.roll(corners, -1, axis=1) - corners, axis=2).mean(0)
    return int(round((sides[0] + sides[2]) / 2)), int(round((sides[1] + sides[3]) / 2))


def flat_ids(folder, defects, mm, size):
    """The ids of the defects in object pixels; a line is at least 2.6 px wide."""
    width, height = size
    maps = np.load(folder / "defects.npz")
    sheet = cv2.resize(maps["sheet"], size, interpolation=cv2.INTER_AREA) > 0
    ids = np.zeros((height, width), np.uint8)
    for defect in defects:
        area = defect["type"] in AREAS
        distance = cv2.resize(np.clip(maps[str(defect["id"])].astype(F), -5, 50), size, interpolation=cv2.INTER_AREA if area else cv2.INTER_LINEAR)
        half = defect["half_mm"] if area else max(defect["half_mm"], 1.3 * mm[0] / width)
        ids[(distance <= half) & sheet] = defect["id"]
    return ids


def contrasts(clip, geometry, points, ids, frames):
    """Per frame: every object pixel (mean of 3x3) against its undamaged surroundings. Also two decoded frames, for a look."""
    bare = (ids == 0).astype(F)
    share = cv2.GaussianBlur(bare, (0, 0), 4) + F(1e-4)
    video, stack, shown = cv2.VideoCapture(str(clip)), [], {}
    for k, frame in enumerate(frames):
        ok, picture = video.read()
        if not ok:
            raise RuntimeError(f"{clip} ends at frame {k} of {len(frames)}")
        at = geometry.project(points, frame).astype(F)
        grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY).astype(F)
        flat = cv2.remap(grey, at[..., 0], at[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        stack.append((cv2.blur(flat, (3, 3)) - cv2.GaussianBlur(flat * bare, (0, 0), 4) / share).astype(np.float16))
        if k in (0, len(frames) // 2):
            shown[k] = picture
    return np.array(stack), shown


def seen_on(change, where):
    """Per frame: how much the places change, 85th percentile over them."""
    return np.percentile(np.abs(change[:, where].astype(F)), 85, axis=1)


def parallels(ids, line, inner):
    """The places of a line moved sideways, where nothing is damaged: what gloss, print and noise show on such a line."""
    rows, columns = np.nonzero(ids == line)
    along = np.linalg.svd(np.stack([columns - columns.mean(), rows - rows.mean()], 1), full_matrices=False)[2][0]
    bare = inner & (cv2.dilate((ids > 0).astype(np.uint8), np.ones((7, 7))) == 0)
    for away in PARALLELS_PX:
        moved = np.zeros(ids.shape, bool)
        x, y = np.rint(columns - away * along[1]).astype(int), np.rint(rows + away * along[0]).astype(int)
        within = (x >= 0) & (y >= 0) & (x < ids.shape[1]) & (y < ids.shape[0])
        moved[y[within], x[within]] = True
        moved &= bare
        if moved.sum() >= 0.6 * len(rows):
            yield moved


def measure(defects, ids, contrast):
    """Adds bbox_flat, area_px, peak_delta and peak_frame to the defects. @return the change where nothing is damaged"""
    change = np.empty_like(contrast)
    for row in range(0, contrast.shape[1], 64):
        part = contrast[:, row : row + 64].astype(F)
        change[:, row : row + 64] = part - np.median(part, axis=0)
    inner = np.zeros(ids.shape, bool)
    inner[4:-4, 4:-4] = True
    for defect in defects:
        rows, columns = np.nonzero(ids == defect["id"])
        if len(rows) == 0:
            raise RuntimeError(f"defect {defect} has no pixel")
        defect["bbox_flat"] = [int(columns.min()), int(rows.min()), int(np.ptp(columns) + 1), int(np.ptp(rows) + 1)]
        defect["area_px"] = len(rows)
        seen = seen_on(change, (ids == defect["id"]) & inner)
        defect["peak_delta"], defect["peak_frame"] = round(float(seen.max()), 1), int(seen.argmax())
        if defect["type"] not in AREAS:
            beside = [seen_on(change, on) for on in parallels(ids, defect["id"], inner)]
            defect["parallel_delta"] = round(float(np.median([b.max() for b in beside])), 1) if beside else None
    far = (cv2.erode((ids == 0).astype(np.uint8), np.ones((21, 21))) > 0) & inner
    return max(float(np.percentile(np.abs(c[far].astype(F)), 85)) for c in change[::10])


def write(scan, folder, clip, geometry, defects, gains, frames):
    """Writes NAME.labels.json, the mask in object pixels and two in frames, and a picture to look at (NAME.check.jpg)."""
    out, name = clip.parent, scan.name
    corners = np.array([geometry.corners(f) for f in frames])
    width, height = size = flat_size(corners)
    ids = flat_ids(folder, defects, geometry.mm, size)
    x, y = np.meshgrid((np.arange(width) + 0.5) * geometry.mm[0] / width, (np.arange(height) + 0.5) * geometry.mm[1] / height)
    points = geometry.surface(x, y)
    contrast, shown = contrasts(clip, geometry, points, ids, frames)
    floor = measure(defects, ids, contrast)
    cv2.imwrite(str(out / f"{name}.mask_flat.png"), ids)
    masks = []
    for k, picture in shown.items():
        at = np.rint(geometry.project(points, frames[k])).astype(int)
        inside = (ids > 0) & (at >= 0).all(-1) & (at < (picture.shape[1], picture.shape[0])).all(-1)
        mask = np.zeros(picture.shape[:2], np.uint8)
        mask[at[inside][:, 1], at[inside][:, 0]] = ids[inside]
        masks.append(dict(frame=k, file=f"{name}.mask_f{k:04d}.png"))
        cv2.imwrite(str(out / masks[-1]["file"]), mask)
        marked = picture.copy()
        marked[mask > 0] = (0, 255, 0)
        cv2.polylines(marked, [np.rint(corners[k]).astype(np.int32).reshape(-1, 1, 2)], True, (0, 0, 255), 1, cv2.LINE_AA)
        cv2.imwrite(str(out / f"{name}.check.jpg"), np.hstack([picture, marked]))
    motion = np.concatenate([[0], np.abs(np.diff(corners, axis=0)).mean((1, 2))])
    labels = dict(clip=clip.name, kind=scan.sheet, clean=not defects, paired_with=None, split=scan.split, seed=scan.seed, fps=FPS / frames.step)
    filmed = list(shown[0].shape[1::-1])
    labels.update(frames=len(frames), coded_size=filmed, display_size=filmed, rotation_metadata=0)
    labels.update(flat_size=[width, height], mm=list(geometry.mm), renderer="Blender Cycles", hand=scan.hand, light=scan.light, stock=scan.stock)
    labels.update(corner_order="TL,TR,BR,BL of the flat object rectangle, in displayed-frame pixels")
    labels.update(corners=np.round(corners, 2).tolist(), motion_px=np.round(motion, 2).tolist(), exposure=np.round(gains, 3).tolist())
    labels.update(defects=defects, contrast_floor=round(floor, 1), mask_flat=f"{name}.mask_flat.png", mask_frames=masks)
    with open(out / f"{name}.labels.json", "w") as file:
        json.dump(labels, file, separators=(",", ":"))
    return labels
