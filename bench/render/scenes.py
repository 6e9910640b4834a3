"""What is rendered: sheets, stocks, lamps, hands, phones and damage. Lengths in mm unless a name says otherwise, angles in degrees.

SCANS lists every scan of the bench by name. A quarter is clean, half is held or tilted; `split` says whether a scan was drawn
to develop on or to be looked at once ("validate"; since then rules have come of some of those, too: docs/measurements.md).
Beside them every number is the seed of a scan that nobody has seen (`scan_named("n7701")`), all of it drawn by chance.
Damage is drawn from the scan's own seed, so that a table of one line per scan is all there is to read; the same seed gives the
same damage, prints and hand on every machine.
"""
import re
from dataclasses import dataclass, field, replace

import numpy as np

FPS = 25
LINE_KINDS = ("crease", "spine_tick", "scratch")


@dataclass(frozen=True)
class Line:
    """A crease, spine tick or scratch between two points, given as fractions of width and height."""

    kind: str
    severity: str
    start: tuple
    end: tuple
    relief: float  # height of the ridge (crease, tick) or depth of the groove (scratch)
    sigma: float  # of the profile across the line
    fold: float = 0.0  # rad: change of slope across the line, that dies out within 14 mm
    broken_ink: float = 0.0  # share of the line where ink is taken off; the label's lost_ink is what shows of it
    rough: float = 0.0  # added roughness along the line


@dataclass(frozen=True)
class Tear:
    """A tear from the rim (`start`) inwards."""

    severity: str
    start: tuple
    end: tuple
    gap: float  # width at the rim
    kind: str = "tear"


@dataclass(frozen=True)
class Scuff:
    """A field of fine parallel streaks that roughens the coat."""

    severity: str
    centre: tuple
    radii: tuple  # fractions of the longer side
    rough: float
    kind: str = "scuff"


@dataclass(frozen=True)
class Stock:
    """What is printed on."""

    rough: float
    coat: float  # share of clear coat
    coat_rough: float
    grain_slope: float  # standard deviation of the grain's slope
    grain_size: float
    metallic: float = 0.0


STOCKS = {
    "glossy": Stock(rough=0.34, coat=0.5, coat_rough=0.20, grain_slope=0.010, grain_size=1.6),
    "card": Stock(rough=0.42, coat=0.3, coat_rough=0.25, grain_slope=0.014, grain_size=0.8),
    "matte": Stock(rough=0.62, coat=0.0, coat_rough=0.20, grain_slope=0.030, grain_size=0.45),
    "foil": Stock(rough=0.30, coat=0.6, coat_rough=0.12, grain_slope=0.008, grain_size=1.2, metallic=0.7),
    "cotton": Stock(rough=0.80, coat=0.0, coat_rough=0.20, grain_slope=0.045, grain_size=0.30),
}


@dataclass(frozen=True)
class Sheet:
    """The kind of object: size, thickness, print (prints.py), what it is scanned as."""

    item_type: str
    size: tuple
    thickness: float
    px: float  # of the texture maps
    wave: float  # how far the sheet is from flat, peak to peak
    curl: float  # height of the rims over the middle, across the width
    round_corner: float = 0.0


SHEETS = {
    "cover": Sheet("comic", (170, 260), 1.8, 0.08, 1.0, 0.8),
    "card": Sheet("card", (63, 88), 0.35, 0.04, 0.25, 0.5, round_corner=3.0),
    "page": Sheet("page", (210, 297), 0.12, 0.10, 1.3, 1.5),
    "chart": Sheet("page", (210, 297), 0.12, 0.10, 1.3, 0.5),
    "photograph": Sheet("generic", (130, 180), 0.25, 0.07, 0.5, 1.2),
    "banknote": Sheet("generic", (127, 67), 0.11, 0.05, 0.5, 0.3),
}


@dataclass(frozen=True)
class Lamp:
    position_m: tuple
    size_m: float
    power_w: float
    colour: tuple


@dataclass(frozen=True)
class Light:
    world: float  # strength of the room's own brightness
    lamps: tuple
    torch_w: float = 0.0  # of the phone


WARM, COLD, DAY = (1.0, 0.93, 0.82), (0.93, 0.97, 1.0), (0.90, 0.96, 1.0)
LIGHTS = {
    "ceiling+desk": Light(0.16, (Lamp((-0.55, 0.75, 1.9), 0.6, 46, WARM), Lamp((0.42, 0.30, 0.62), 0.13, 5, WARM))),
    "ceiling": Light(0.22, (Lamp((0.2, 0.4, 2.1), 0.5, 60, COLD),)),
    "near lamp": Light(0.10, (Lamp((-0.38, 0.22, 0.45), 0.10, 5, WARM),)),
    "window": Light(0.20, (Lamp((-1.5, 0.5, 0.95), 1.1, 75, DAY), Lamp((0.5, 0.9, 1.9), 0.4, 14, WARM))),
    "torch": Light(0.12, (Lamp((-0.55, 0.75, 1.9), 0.6, 24, WARM),), torch_w=0.09),
}


@dataclass(frozen=True)
class Scan:
    name: str
    split: str  # "develop" or "validate"
    seed: int
    sheet: str
    stock: str
    light: str
    hand: str  # "lying" (the phone sways), "held" (both move), "tilted" (a hand tilts it)
    damaged: bool = True
    desk: str = "wood"
    size_px: tuple = (720, 1280)
    mbit: float = 6.0
    frames: int = 100
    fill: float = 0.80  # share of the picture that the object takes
    damage: tuple = field(default=(), compare=False)

    @property
    def orbit_deg(self):
        return {"lying": (13, 11), "held": (4, 3), "tilted": (2, 2)}[self.hand]

    @property
    def tilt_deg(self):
        return {"lying": (0, 0), "held": (4, 4), "tilted": (14, 12)}[self.hand]


def random_line(rng, kind, strength):
    """A line of this kind. @param strength  0 (barely visible) to 1 (plain)"""
    severity = ("light", "medium", "heavy")[min(2, int(strength * 3))]
    broken_ink = float(rng.uniform(0.1, 0.6) * strength) if rng.random() < 0.5 else 0.0
    if kind == "spine_tick":
        y = rng.uniform(0.06, 0.94)
        end = (rng.uniform(0.035, 0.08), y + rng.uniform(-0.008, 0.008))
        return Line(kind, severity, (0.0, y), end, 0.04 + 0.05 * strength, 0.25, 0.03 * strength, broken_ink)
    angle, length = rng.uniform(0, np.pi), rng.uniform(0.14, 0.45)
    middle = rng.uniform(0.22, 0.78, 2)
    reach = np.array([np.cos(angle), np.sin(angle)]) * length / 2
    start, end = (tuple(float(v) for v in np.clip(middle + s * reach, 0.02, 0.98)) for s in (-1, 1))
    if kind == "scratch":
        return Line(kind, severity, start, end, 0.012 + 0.016 * strength, 0.09, rough=0.05 + 0.12 * strength)
    return Line(kind, severity, start, end, 0.04 + 0.07 * strength, 0.32, 0.01 + 0.08 * strength, broken_ink)


def random_damage(scan):
    """The damage of a scan, from plain to barely visible."""
    if not scan.damaged:
        return ()
    rng = np.random.default_rng(scan.seed)
    kinds = ["crease"] * int(rng.integers(2, 4)) + ["scratch"] * int(rng.integers(1, 3))
    if SHEETS[scan.sheet].item_type == "comic":
        kinds += ["spine_tick"] * int(rng.integers(2, 5))
    strengths = rng.permutation(np.linspace(0.1, 1.0, len(kinds)))
    small = {"card": 0.7, "banknote": 0.7}.get(scan.sheet, 1.0)  # a small object is filmed from nearer
    lines = [random_line(rng, kind, float(s) * small) for kind, s in zip(kinds, strengths)]
    more = []
    if rng.random() < 0.35:
        y = rng.uniform(0.2, 0.8)
        more.append(Tear("heavy", (1.0, y), (1 - rng.uniform(0.06, 0.14), y + rng.uniform(-0.03, 0.03)), rng.uniform(0.8, 1.8)))
    if rng.random() < 0.35:
        more.append(Scuff("medium", tuple(rng.uniform(0.25, 0.75, 2)), (rng.uniform(0.05, 0.11), rng.uniform(0.04, 0.08)), 0.25))
    return tuple(lines + more)


LANDSCAPE, PORTRAIT_1080, LANDSCAPE_1080 = (1280, 720), (1080, 1920), (1920, 1080)
TABLE = [
    # name, split, seed, sheet, stock, light, hand, then what is unusual
    Scan("r01_cover", "develop", 7101, "cover", "glossy", "ceiling+desk", "lying"),
    Scan("r02_cover_clean", "develop", 7102, "cover", "glossy", "ceiling+desk", "lying", damaged=False, size_px=LANDSCAPE),
    Scan("r03_page", "develop", 7103, "page", "matte", "near lamp", "lying", desk="cloth"),
    Scan("r04_card_torch", "develop", 7104, "card", "card", "torch", "lying", mbit=8),
    Scan("r05_cover_tilted", "develop", 7105, "cover", "glossy", "window", "tilted"),
    Scan("r06_card_held", "develop", 7106, "card", "card", "ceiling+desk", "held", fill=0.65),
    Scan("r07_page_window", "develop", 7107, "page", "glossy", "window", "tilted", desk="cloth"),
    Scan("r08_chart_clean", "develop", 7108, "chart", "matte", "window", "lying", damaged=False),
    Scan("r09_foil_card", "develop", 7109, "card", "foil", "ceiling", "tilted", desk="cloth"),
    Scan("r10_photograph", "develop", 7110, "photograph", "glossy", "near lamp", "lying", mbit=12),
    Scan("r11_note_clean", "develop", 7111, "banknote", "cotton", "ceiling+desk", "lying", damaged=False, size_px=LANDSCAPE),
    Scan("r12_cover_1080p", "develop", 7112, "cover", "glossy", "near lamp", "lying", size_px=PORTRAIT_1080, mbit=12, frames=75),
    Scan("v01_cover", "validate", 8201, "cover", "glossy", "window", "lying", desk="cloth"),
    Scan("v02_card_clean", "validate", 8202, "card", "card", "ceiling+desk", "tilted", damaged=False),
    Scan("v03_page", "validate", 8203, "page", "matte", "ceiling+desk", "held"),
    Scan("v04_cover_2mbit", "validate", 8204, "cover", "glossy", "near lamp", "lying", mbit=2),
    Scan("v05_card_tilted", "validate", 8205, "card", "card", "near lamp", "tilted", desk="cloth"),
    Scan("v06_chart", "validate", 8206, "chart", "matte", "ceiling", "lying"),
    Scan("v07_foil_clean", "validate", 8207, "card", "foil", "ceiling+desk", "lying", damaged=False, desk="cloth"),
    Scan("v08_photograph_clean", "validate", 8208, "photograph", "glossy", "window", "tilted", damaged=False),
    Scan("v09_note", "validate", 8209, "banknote", "cotton", "near lamp", "lying", size_px=LANDSCAPE, mbit=8),
    Scan("v10_cover_torch_clean", "validate", 8210, "cover", "glossy", "torch", "lying", damaged=False),
    Scan("v11_page_1080p", "validate", 8211, "page", "glossy", "ceiling+desk", "tilted", size_px=LANDSCAPE_1080, mbit=12, frames=75, fill=0.85),
    Scan("v12_page_clean", "validate", 8212, "page", "glossy", "near lamp", "held", damaged=False),
    Scan("x01_cover", "validate", 9401, "cover", "glossy", "ceiling+desk", "held"),
    Scan("x02_cover_clean", "validate", 9402, "cover", "glossy", "near lamp", "tilted", damaged=False, desk="cloth"),
    Scan("x03_card", "validate", 9403, "card", "card", "window", "lying"),
    Scan("x04_page", "validate", 9404, "page", "glossy", "window", "lying"),
    Scan("x05_photograph", "validate", 9405, "photograph", "glossy", "ceiling+desk", "tilted", desk="cloth"),
    Scan("x06_chart_clean", "validate", 9406, "chart", "glossy", "near lamp", "lying", damaged=False),
    Scan("x07_cover_torch", "validate", 9407, "cover", "glossy", "torch", "lying", mbit=4),
    Scan("x08_foil_card", "validate", 9408, "card", "foil", "window", "lying"),
    Scan("x09_card_clean", "validate", 9409, "card", "card", "near lamp", "held", damaged=False),
    Scan("x10_note", "validate", 9410, "banknote", "cotton", "window", "tilted", size_px=LANDSCAPE),
    Scan("x11_cover", "validate", 9411, "cover", "glossy", "window", "lying", desk="cloth", mbit=3),
    Scan("x12_page_clean", "validate", 9412, "page", "matte", "ceiling+desk", "lying", damaged=False),
    Scan("w01_cover", "validate", 10701, "cover", "glossy", "window", "held"),
    Scan("w02_card", "validate", 10702, "card", "card", "ceiling+desk", "tilted", desk="cloth"),
    Scan("w03_page", "validate", 10703, "page", "glossy", "near lamp", "lying"),
    Scan("w04_cover", "validate", 10704, "cover", "glossy", "ceiling", "lying", desk="cloth"),
    Scan("w05_photograph", "validate", 10705, "photograph", "glossy", "window", "lying"),
    Scan("w06_page", "validate", 10706, "page", "matte", "window", "tilted"),
    Scan("w07_note", "validate", 10707, "banknote", "cotton", "ceiling+desk", "lying", size_px=LANDSCAPE, desk="cloth"),
    Scan("w08_cover_tilted", "validate", 10708, "cover", "glossy", "ceiling+desk", "tilted"),
    Scan("w09_foil", "validate", 10709, "card", "foil", "near lamp", "lying"),
    Scan("w10_chart", "validate", 10710, "chart", "matte", "near lamp", "lying"),
    Scan("w11_cover_clean", "validate", 10711, "cover", "glossy", "window", "lying", damaged=False, desk="cloth"),
    Scan("w12_card_clean", "validate", 10712, "card", "card", "window", "held", damaged=False),
    Scan("w13_page_clean", "validate", 10713, "page", "matte", "near lamp", "tilted", damaged=False),
    Scan("q01_cover", "validate", 11801, "cover", "glossy", "ceiling+desk", "held", desk="cloth"),
    Scan("q02_page", "validate", 11802, "page", "glossy", "window", "lying"),
    Scan("q03_card", "validate", 11803, "card", "card", "near lamp", "held"),
    Scan("q04_cover", "validate", 11804, "cover", "glossy", "window", "lying", desk="cloth"),
    Scan("q05_card", "validate", 11805, "card", "card", "window", "tilted"),
    Scan("q06_cover", "validate", 11806, "cover", "glossy", "near lamp", "tilted"),
    Scan("q07_page", "validate", 11807, "page", "glossy", "ceiling+desk", "tilted"),
    Scan("q08_cover_clean", "validate", 11808, "cover", "glossy", "near lamp", "held", damaged=False),
    Scan("q09_card_clean", "validate", 11809, "card", "card", "near lamp", "tilted", damaged=False),
    Scan("y01_cover", "validate", 12901, "cover", "glossy", "ceiling+desk", "tilted", mbit=9),
    Scan("y02_card", "validate", 12902, "card", "card", "ceiling", "tilted"),
    Scan("y03_page", "validate", 12903, "page", "glossy", "torch", "lying", mbit=12),
    Scan("y04_cover", "validate", 12904, "cover", "glossy", "ceiling+desk", "held"),
    Scan("y05_cover", "validate", 12905, "cover", "glossy", "ceiling+desk", "lying"),
    Scan("y06_page", "validate", 12906, "page", "glossy", "near lamp", "lying", desk="cloth"),
    Scan("y07_card", "validate", 12907, "card", "card", "near lamp", "tilted"),
    Scan("y08_cover", "validate", 12908, "cover", "glossy", "window", "tilted"),
    Scan("y09_cover", "validate", 12909, "cover", "glossy", "ceiling", "held"),
    Scan("y10_card", "validate", 12910, "card", "card", "near lamp", "held"),
    Scan("y11_cover", "validate", 12911, "cover", "glossy", "near lamp", "tilted", desk="cloth"),
    Scan("y12_page", "validate", 12912, "page", "glossy", "ceiling+desk", "lying", mbit=12),
    Scan("y13_photograph", "validate", 12913, "photograph", "glossy", "torch", "tilted"),
    Scan("y14_page", "validate", 12914, "page", "matte", "ceiling", "tilted", desk="cloth", mbit=9),
    Scan("y15_card", "validate", 12915, "card", "foil", "window", "lying"),
    Scan("y16_note", "validate", 12916, "banknote", "cotton", "torch", "held", size_px=LANDSCAPE, desk="cloth"),
]
SCANS = {scan.name: replace(scan, damage=random_damage(scan)) for scan in TABLE}


def by_chance(seed):
    """A scan of which all is drawn from its seed, three of ten of them clean: to be looked at once."""
    rng = np.random.default_rng((seed, 1))  # `seed` alone draws the damage

    def one_of(names, shares=None):
        return str(rng.choice(names, p=shares))

    sheet = one_of(["cover", "card", "page", "photograph", "banknote", "chart"], [0.36, 0.22, 0.22, 0.08, 0.06, 0.06])
    stocks = {"cover": ["glossy"], "card": ["card", "card", "foil"], "banknote": ["cotton"]}.get(sheet, ["glossy", "matte"])
    scan = Scan(
        name=f"n{seed}",
        split="validate",
        seed=seed,
        sheet=sheet,
        stock=one_of(stocks),
        light=one_of(list(LIGHTS), [0.3, 0.15, 0.2, 0.2, 0.15]),
        hand=one_of(["lying", "held", "tilted"], [0.5, 0.2, 0.3]),
        damaged=bool(rng.random() < 0.7),
        desk=one_of(["wood", "cloth"]),
        size_px=LANDSCAPE if sheet == "banknote" or rng.random() < 0.2 else (720, 1280),
        mbit=round(float(rng.uniform(2, 12)), 1),
        fill=round(float(rng.uniform(0.62, 0.86)), 2),
    )
    return replace(scan, damage=random_damage(scan))


def scan_named(name):
    """The scan of the table of this name, or the one that is drawn by chance from seed N for "nN"; None where it is neither."""
    chance = re.fullmatch(r"n(\d+)", name)
    return by_chance(int(chance[1])) if chance else SCANS.get(name)
