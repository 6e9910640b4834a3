"""From linear light to a phone's video: few samples denoised, exposure, noise, tone curve, sharpening, H.264."""
import os
import subprocess

os.environ["OPENCV_IO_ENABLE_OPENEXR"] = "1"
import cv2  # noqa: E402
import numpy as np  # noqa: E402

from scenes import FPS  # noqa: E402

F = np.float32


def read(folder, frame, kind):
    return cv2.imread(str(folder / f"{kind}.{frame:04d}.exr"), cv2.IMREAD_UNCHANGED)[..., :3].astype(F)


def denoised(folder, frame):
    """What a few samples a pixel leave is smoothed where print and relief are alike: a joint bilateral filter of the light by
    what Cycles says of the surface. Print is divided out before, so that it is not smoothed at all."""
    light, albedo, normal = (read(folder, frame, kind) for kind in ("light", "albedo", "normal"))
    bright = light / np.maximum(albedo, F(0.03))
    guide = np.dstack([normal[..., 0] * 6, normal[..., 1] * 6, albedo.mean(2)]).astype(F)
    bright = cv2.ximgproc.jointBilateralFilter(guide, np.minimum(bright, F(6)), 9, 0.08, 2.0)
    return bright * np.maximum(albedo, F(0.03))


def tone(light):
    """A soft shoulder, then about the root of 2.2 with a little contrast."""
    y = light * (1 + light / 6) / (1 + F(0.35) * light)
    y = np.power(np.clip(y, 0, 1), F(1 / 2.2))
    return F(0.8) * y + F(0.2) * (y * y * (3 - 2 * y))


def developed(light, gain, rng):
    """The phone's picture, BGR, 8 bit."""
    height, width = light.shape[:2]
    yy, xx = np.mgrid[-1 : 1 : height * 1j, -1 : 1 : width * 1j].astype(F)
    light = light * F(gain) * (1 - F(0.11) * (xx * xx + yy * yy))[..., None]  # vignette
    shot = np.sqrt(np.maximum(light, 0) * F(2.2e-4) + F(6e-6))
    grey = tone(np.maximum(light + rng.standard_normal(light.shape).astype(F) * shot, 0)) * 255
    grey = cv2.bilateralFilter(grey.astype(F), 5, 18, 1.1)  # the phone's noise reduction, and its sharpening
    grey = grey + F(0.35) * (grey - cv2.GaussianBlur(grey, (0, 0), 1.2))
    return np.clip(grey + 0.5, 0, 255).astype(np.uint8)


class Exposure:
    """Follows half of what the light does, late."""

    def __init__(self):
        self.gain = None

    def __call__(self, light):
        level = float(np.minimum(light, 1.2).mean())
        if self.gain is None:
            self.first = level
            self.base = 0.8 / min(max(float(np.percentile(light, 95)), 0.3), 1.6)
            self.gain = self.base
        self.gain += 0.15 * (self.base * (self.first / level) ** 0.5 - self.gain)
        return self.gain


def film(scan, folder, clip, frames):
    """Writes the video. @return the exposure of every frame"""
    rng, exposure, gains = np.random.default_rng(scan.seed + 50), Exposure(), []
    height, width = (s // 2 * 2 for s in read(folder / "frames", frames[0], "light").shape[:2])  # as the encoder asks
    rate, per_second = f"{scan.mbit / frames.step:g}M", f"{FPS}/{frames.step}"
    command = ["ffmpeg", "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", "bgr24", "-s", f"{width}x{height}", "-r", per_second, "-i", "-"]
    command += ["-c:v", "libx264", "-preset", "fast", "-b:v", rate, "-maxrate", rate, "-bufsize", rate]
    command += ["-pix_fmt", "yuv420p", "-movflags", "+faststart", str(clip)]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as encoder:
        for frame in frames:
            light = denoised(folder / "frames", frame)
            gains.append(exposure(light))
            encoder.stdin.write(developed(light, gains[-1], rng)[:height, :width].tobytes())
        encoder.stdin.close()
    if encoder.returncode != 0:
        raise RuntimeError(f"ffmpeg could not encode {clip}")
    return gains
