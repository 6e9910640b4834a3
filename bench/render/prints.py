"""Prints of our own: what is printed on the sheets. BGR, uint8, as large as asked; every print is drawn from a seed."""
import cv2
import numpy as np

WORDS = "the lamp in old mill had been left burning and nobody knew why until rain came over hill that night".split()
INK = (30, 28, 28)


def noise(rng, height, width, size):
    """Smooth noise of mean 0 and deviation 1. @param size  of its features in px"""
    cell = max(1, int(size / 2))
    coarse = rng.standard_normal((height // cell + 3, width // cell + 3)).astype(np.float32)
    coarse = cv2.GaussianBlur(coarse, (0, 0), max(0.6, size / cell))
    out = cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC)
    return (out - out.mean()) / (out.std() + 1e-6)


def colour(rng, low=30, high=230):
    return tuple(int(v) for v in rng.integers(low, high, 3))


def write(img, text, x, y, height, ink=INK, width=None, face=cv2.FONT_HERSHEY_DUPLEX):
    """Text with its baseline at y. @param width  what it is stretched or shrunk to; its own where None"""
    scale = height / 22
    if width:
        scale *= width / cv2.getTextSize(text, face, scale, 1)[0][0]
    thickness = max(1, round(22 * scale / 9))
    cv2.putText(img, text, (int(x), int(y)), face, scale, ink, thickness, cv2.LINE_AA)


def columns(img, rng, box, line):
    """Lines of words in a box (x0, y0, x1, y1)."""
    x0, y0, x1, y1 = box
    y = y0 + line
    while y < y1:
        text = ""
        while cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, line / 22, 1)[0][0] < (x1 - x0) * 0.9:
            text += str(rng.choice(WORDS)) + " "
        write(img, text, x0, y, line, face=cv2.FONT_HERSHEY_SIMPLEX)
        y += line * 1.75


def landscape(rng, height, width):
    """A painted picture: sky, hills with texture, trees with outlines, a moon."""
    sky = np.linspace(0, 1, height, dtype=np.float32)[:, None, None]
    top, low = (np.float32(colour(rng)) for _ in range(2))
    img = (top * (1 - sky) + low * sky) * np.ones((1, width, 1), np.float32)
    img += 10 * noise(rng, height, width, height / 30)[..., None]
    img = np.clip(img, 0, 255).astype(np.uint8)
    cv2.circle(img, (int(rng.uniform(0.2, 0.8) * width), int(0.2 * height)), int(0.08 * width), (225, 240, 245), -1, cv2.LINE_AA)
    x = np.arange(width)
    for k in range(5):
        ridge = height * (0.42 + 0.12 * k) + height * 0.05 * np.sin(x / width * rng.uniform(4, 14) + rng.uniform(0, 6))
        ridge = ridge + height * 0.015 * noise(rng, 1, width, width / 25)[0]
        hill = np.stack([x, ridge], 1).astype(np.int32)
        outline = np.vstack([hill, [[width, height], [0, height]]]).reshape(-1, 1, 2)
        cv2.fillPoly(img, [outline], colour(rng), cv2.LINE_AA)
        cv2.polylines(img, [hill.reshape(-1, 1, 2)], False, (20, 18, 18), max(2, width // 500), cv2.LINE_AA)
        for _ in range(int(rng.integers(3, 9))):
            at = int(rng.integers(0, width))
            tree(img, rng, at, int(ridge[at]), height * rng.uniform(0.04, 0.12))
    texture = 1 + 0.05 * noise(rng, height, width, 3)
    return np.clip(img * texture[..., None], 0, 255).astype(np.uint8)


def tree(img, rng, x, y, size):
    top = (x, int(y - size))
    cv2.line(img, (x, y), top, (20, 18, 18), max(2, int(size / 14)), cv2.LINE_AA)
    for _ in range(6):
        centre = (int(x + rng.normal(0, size / 4)), int(y - size + rng.normal(0, size / 5)))
        cv2.circle(img, centre, int(size / 4), (20, 18, 18), -1, cv2.LINE_AA)
        cv2.circle(img, centre, int(size / 4.6), colour(rng, 20, 160), -1, cv2.LINE_AA)


def cover(rng, height, width):
    img = landscape(rng, height, width)
    write(img, "NIGHT MARKET", 0.05 * width, 0.11 * height, 0.08 * height, (20, 16, 16), 0.9 * width, cv2.FONT_HERSHEY_TRIPLEX)
    write(img, "NIGHT MARKET", 0.045 * width, 0.107 * height, 0.08 * height, (40, 215, 250), 0.9 * width, cv2.FONT_HERSHEY_TRIPLEX)
    cv2.rectangle(img, (int(0.04 * width), int(0.14 * height)), (int(0.2 * width), int(0.21 * height)), (245, 245, 245), -1)
    write(img, "No. 17", 0.055 * width, 0.17 * height, 0.016 * height)
    write(img, "$ 4.99", 0.055 * width, 0.2 * height, 0.016 * height)
    cv2.rectangle(img, (int(0.74 * width), int(0.885 * height)), (int(0.96 * width), int(0.96 * height)), (250, 250, 250), -1)
    x = 0.76 * width
    while x < 0.94 * width:
        bar = rng.uniform(0.002, 0.006) * width
        cv2.rectangle(img, (int(x), int(0.893 * height)), (int(x + bar), int(0.95 * height)), (15, 15, 15), -1)
        x += bar + rng.uniform(0.003, 0.008) * width
    return img


def card(rng, height, width):
    img = np.full((height, width, 3), colour(rng, 30, 140), np.uint8)
    rim = int(0.05 * width)
    cv2.rectangle(img, (rim, rim), (width - rim, height - rim), (215, 228, 235), -1)
    x0, x1, y0, y1 = 2 * rim, width - 2 * rim, int(0.13 * height), int(0.58 * height)
    img[y0:y1, x0:x1] = landscape(rng, y1 - y0, x1 - x0)
    cv2.rectangle(img, (x0, y0), (x1, y1), INK, max(3, width // 300))
    write(img, "STORM FAMILIAR", x0, 0.105 * height, 0.03 * height, (30, 60, 200), 0.7 * width)
    cv2.circle(img, (int(0.87 * width), int(0.085 * height)), int(0.045 * width), (50, 170, 230), -1, cv2.LINE_AA)
    columns(img, rng, (x0 + rim // 3, int(0.62 * height), x1, int(0.86 * height)), 0.017 * height)
    cv2.rectangle(img, (x0, int(0.6 * height)), (x1, int(0.9 * height)), (60, 60, 60), max(2, width // 400))
    return img


def page(rng, height, width):
    """Comic panels with gutters and balloons."""
    img = np.full((height, width, 3), (236, 243, 246), np.uint8)
    gap = int(0.018 * width)
    y = int(0.05 * height)
    while y < 0.9 * height:
        row = int(rng.uniform(0.2, 0.3) * height)
        row = min(row, int(0.95 * height) - y)
        split = rng.uniform(0.35, 0.65)
        for x0, x1 in ((0.05, split), (split, 0.95)):
            a, b = int(x0 * width) + gap // 2, int(x1 * width) - gap // 2
            img[y : y + row, a:b] = landscape(rng, row, b - a)
            cv2.rectangle(img, (a, y), (b, y + row), INK, max(3, width // 350))
            balloon(img, rng, a + (b - a) // 2, y + row // 4, (b - a) * 0.36, row * 0.16)
        y += row + gap
    return img


def balloon(img, rng, x, y, across, down):
    axes = (int(across), int(down))
    cv2.ellipse(img, (int(x), int(y)), axes, 0, 0, 360, (250, 250, 248), -1, cv2.LINE_AA)
    cv2.ellipse(img, (int(x), int(y)), axes, 0, 0, 360, INK, 4, cv2.LINE_AA)
    for k in (-1, 0, 1):
        text = " ".join(rng.choice(WORDS, 3)).upper()
        write(img, text, x - across * 0.66, y + (k + 0.35) * down * 0.5, down * 0.25, width=across * 1.3)


def chart(rng, height, width):
    """A magazine's page: columns, rules, a chart with bars, a halftone picture."""
    img = np.full((height, width, 3), (232, 240, 244), np.uint8)
    write(img, "THE LAMP IN THE MILL", 0.07 * width, 0.085 * height, 0.05 * height, (40, 40, 190), 0.86 * width, cv2.FONT_HERSHEY_TRIPLEX)
    cv2.line(img, (int(0.07 * width), int(0.1 * height)), (int(0.93 * width), int(0.1 * height)), INK, 6)
    line = 0.0095 * height
    for box in ((0.07, 0.12, 0.48, 0.58), (0.07, 0.82, 0.48, 0.94), (0.53, 0.49, 0.94, 0.94)):
        columns(img, rng, [v * s for v, s in zip(box, (width, height, width, height))], line)
    y0, y1, x0, x1 = int(0.125 * height), int(0.46 * height), int(0.53 * width), int(0.93 * width)
    grey = cv2.cvtColor(landscape(rng, y1 - y0, x1 - x0), cv2.COLOR_BGR2GRAY).astype(np.float32) / 255
    yy, xx = np.mgrid[0 : y1 - y0, 0 : x1 - x0].astype(np.float32)
    dots = 0.5 + 0.25 * (np.sin((xx + yy) * 0.38) + np.sin((xx - yy) * 0.38))
    tone = np.clip((grey - dots) * 3 + 0.5, 0, 1)[..., None]
    img[y0:y1, x0:x1] = (tone * (225, 235, 240) + (1 - tone) * (110, 60, 40)).astype(np.uint8)
    y0, y1, x0, x1 = int(0.61 * height), int(0.79 * height), int(0.07 * width), int(0.47 * width)
    cv2.rectangle(img, (x0, y0), (x1, y1), (150, 210, 240), -1)
    step = (x1 - x0) / 8
    for k in range(7):
        a, top = int(x0 + step * (k + 0.5)), int(y1 - (y1 - y0) * rng.uniform(0.2, 0.85))
        cv2.rectangle(img, (a, top), (int(a + step * 0.6), y1 - 20), colour(rng, 40, 200), -1)
    return img


def photograph(rng, height, width):
    """A photograph with a white rim: soft, without outlines."""
    rim = int(0.04 * width)
    img = np.full((height, width, 3), 246, np.uint8)
    inner = cv2.GaussianBlur(landscape(rng, height - 2 * rim, width - 2 * rim), (0, 0), width / 400)
    img[rim:-rim, rim:-rim] = inner
    return img


def banknote(rng, height, width):
    """Guilloches, numbers, a round vignette."""
    yy, xx = np.mgrid[0:height, 0:width].astype(np.float32)
    base, line = np.float32((205, 225, 220)), np.float32(colour(rng, 40, 150))
    waves = np.zeros((height, width), np.float32)
    for _ in range(4):
        freq, amp = rng.uniform(3, 9), rng.uniform(0.05, 0.16) * height
        phase = (yy + amp * np.sin(xx / width * freq * 6.28 + rng.uniform(0, 6))) / height * rng.uniform(22, 40) * 6.28
        waves = np.maximum(waves, np.clip(np.cos(phase) * 6 - 4.6, 0, 1))
    img = base * (1 - 0.6 * waves[..., None]) + line * 0.6 * waves[..., None]
    img = np.clip(img, 0, 255).astype(np.uint8)
    centre, radius = (int(0.7 * width), height // 2), int(0.36 * height)
    vignette = landscape(rng, 2 * radius, 2 * radius)
    disc = np.hypot(*np.mgrid[-radius:radius, -radius:radius]) < radius
    img[centre[1] - radius : centre[1] + radius, centre[0] - radius : centre[0] + radius][disc] = vignette[disc]
    cv2.circle(img, centre, radius, INK, 5, cv2.LINE_AA)
    for x, y in ((0.05, 0.25), (0.05, 0.92), (0.45, 0.25)):
        write(img, "50", x * width, y * height, 0.14 * height, colour(rng, 20, 110), face=cv2.FONT_HERSHEY_TRIPLEX)
    cv2.rectangle(img, (int(0.02 * width), int(0.04 * height)), (int(0.98 * width), int(0.96 * height)), INK, 4)
    return img


def draw(kind, rng, height, width):
    """The print of a sheet of scenes.SHEETS."""
    kinds = {f.__name__: f for f in (cover, card, page, chart, photograph, banknote)}
    return kinds[kind](rng, height, width)
