// SPDX-License-Identifier: Apache-2.0
#include "support/sample_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

namespace glint {
namespace {

/// Numbers that look random; D. Lehmer's generator with the constants of std::minstd_rand.
class Dice {
 public:
  explicit Dice(std::uint32_t seed) : state_(seed * 2 + 1) {}
  int Roll(int low, int high) {
    state_ = static_cast<std::uint32_t>(std::uint64_t{state_} * 48271 % 2147483647);
    return low + static_cast<int>(state_ % static_cast<std::uint32_t>(high - low + 1));
  }

 private:
  std::uint32_t state_;
};

/// What it costs to be outside the object when a frame is drawn.
struct Colour {
  int r, g, b;
};

void Put(const Plane& plane, int x, int y, Colour colour) {
  std::uint8_t* pixel = plane.Row<std::uint8_t>(y) + std::ptrdiff_t{3} * x;
  pixel[0] = static_cast<std::uint8_t>(std::clamp(colour.r, 0, 255));
  pixel[1] = static_cast<std::uint8_t>(std::clamp(colour.g, 0, 255));
  pixel[2] = static_cast<std::uint8_t>(std::clamp(colour.b, 0, 255));
}

/// One printed pixel of the page: a margin, 2 x 3 panels of a colour each, halftone dots,
/// lettering.
Colour Print(Size size, int x, int y) {
  const int margin = size.width / 16;
  const int panel_w = (size.width - 3 * margin) / 2;
  const int panel_h = (size.height - 4 * margin) / 3;
  const int column = (x - margin) / (panel_w + margin);
  const int row = (y - margin) / (panel_h + margin);
  const int inside_x = (x - margin) - column * (panel_w + margin);
  const int inside_y = (y - margin) - row * (panel_h + margin);
  const bool on_paper = x < margin || y < margin || column > 1 || row > 2 || inside_x >= panel_w ||
                        inside_y >= panel_h;
  if (on_paper) return {236, 230, 214};
  if (inside_x < 3 || inside_y < 3 || inside_x >= panel_w - 3 || inside_y >= panel_h - 3) {
    return {24, 22, 26};
  }
  static constexpr std::array<Colour, 6> kPanels = {{{214, 92, 62},
                                                     {66, 132, 178},
                                                     {232, 186, 84},
                                                     {98, 158, 108},
                                                     {150, 106, 170},
                                                     {224, 138, 112}}};
  Colour colour = kPanels[static_cast<std::size_t>(row * 2 + column)];
  const int shade = 40 * inside_y / panel_h;
  colour = {colour.r - shade, colour.g - shade, colour.b - shade};
  const int dot_x = (x + y) % 9 - 4;
  const int dot_y = (x - y + 9 * size.height) % 9 - 4;
  if (dot_x * dot_x + dot_y * dot_y < 2 + 9 * inside_x / panel_w) {
    colour = {colour.r - 34, colour.g - 30, colour.b - 22};
  }
  const int hill = panel_h * 3 / 4 + static_cast<int>(18 * std::sin(inside_x / 23.0 + row));
  if (inside_y > hill) colour = {46 + shade, 52 + shade, 70 + shade};
  const bool balloon = std::abs(inside_x - panel_w / 3) < panel_w / 4 &&
                       std::abs(inside_y - panel_h / 5) < panel_h / 9;
  if (!balloon) return colour;
  const bool letter = inside_y % 11 > 3 && (inside_x * 7 + inside_y / 11 * 5) % 13 > 6;
  return letter ? Colour{30, 30, 34} : Colour{250, 248, 240};
}

Plane DrawPage(Size size) {
  const Plane page = Plane::Host(size, PixelType::kU8x3);
  for (int y = 0; y < size.height; ++y) {
    for (int x = 0; x < size.width; ++x) Put(page, x, y, Print(size, x, y));
  }
  return page;
}

Plane Zeros(Size size, PixelType type) {
  const Plane plane = Plane::Host(size, type);
  for (int y = 0; y < size.height; ++y) {
    std::fill_n(plane.Row<std::byte>(y), size.width * BytesPerPixel(type), std::byte{0});
  }
  return plane;
}

/// Paints one piece of damage that nothing else has painted yet.
void Damage(ScanPictures& pictures, int id, int x, int y, int strength) {
  const Size size = pictures.labels.size();
  if (x < 0 || y < 0 || x >= size.width || y >= size.height) return;
  std::int32_t& label = pictures.labels.Row<std::int32_t>(y)[x];
  if (label != 0) return;
  label = id;
  pictures.mask.Row<std::uint8_t>(y)[x] = 255;
  pictures.score.Row<std::int32_t>(y)[x] = strength;
  const int light = strength >> 12;  // up to 255: bare paper
  Put(pictures.rectified, x, y, {120 + light / 2, 118 + light / 2, 112 + light / 2});
}

void DamageOnePlace(ScanPictures& pictures, int id, Dice& dice) {
  const Size size = pictures.labels.size();
  const int strength = dice.Roll(380'000, 900'000);
  if (id == 1) {  // the top right corner is gone
    const int side = size.width / 9;
    for (int y = 0; y < side; ++y) {
      for (int x = size.width - side + y; x < size.width; ++x) Damage(pictures, id, x, y, strength);
    }
    return;
  }
  const int left = dice.Roll(10, size.width - 60);
  const int top = dice.Roll(10, size.height - 60);
  const bool spot = dice.Roll(0, 3) == 0;
  const int length = spot ? dice.Roll(6, 14) : dice.Roll(30, size.width / 3);
  const int slope = dice.Roll(-100, 100);
  for (int step = 0; step < length; ++step) {
    const int half = spot ? static_cast<int>(std::sqrt(step * (length - step))) : 2;
    const int y = top + (spot ? step : 20 + step * slope / 100);
    for (int k = -half; k <= half; ++k) {
      Damage(pictures, id, left + (spot ? 20 + k : step), spot ? y : y + k,
             strength - std::abs(k) * 40'000);
    }
  }
}

/// Weak evidence everywhere, as printed edges give it.
void AddBackgroundScore(ScanPictures& pictures) {
  for (int y = 1; y < pictures.score.height(); ++y) {
    for (int x = 1; x < pictures.score.width(); ++x) {
      const std::uint8_t* pixel = pictures.rectified.Row<std::uint8_t>(y) + std::ptrdiff_t{3} * x;
      const std::uint8_t* above =
          pictures.rectified.Row<std::uint8_t>(y - 1) + std::ptrdiff_t{3} * x;
      std::int32_t& score = pictures.score.Row<std::int32_t>(y)[x];
      const int change = std::abs(pixel[1] - pixel[-2]) + std::abs(pixel[1] - above[1]);
      score = std::max(score, std::min(change * 1200, 300'000));
    }
  }
}

Homography PlaceOnDesk(const SampleOptions& options, int frame) {
  const double scale =
      0.86 * std::min(static_cast<double>(options.frame.width) / options.object.width,
                      static_cast<double>(options.frame.height) / options.object.height);
  const double angle = -0.05 + 0.01 * (frame % 7);
  const double c = scale * std::cos(angle);
  const double s = scale * std::sin(angle);
  const double x =
      options.frame.width / 2.0 - (c * options.object.width - s * options.object.height) / 2;
  const double y =
      options.frame.height / 2.0 - (s * options.object.width + c * options.object.height) / 2;
  return {c, -s, x + frame % 5, s, c, y, 0, 0, 1};
}

Point Map(const Homography& h, double x, double y) {
  const double w = h[6] * x + h[7] * y + h[8];
  return {(h[0] * x + h[1] * y + h[2]) / w, (h[3] * x + h[4] * y + h[5]) / w};
}

Quadrilateral MapBox(const Homography& h, double left, double top, double right, double bottom) {
  return {Map(h, left, top), Map(h, right, top), Map(h, right, bottom), Map(h, left, bottom)};
}

/// The page on the desk as the camera sees it; h is affine here.
Plane Film(const SampleOptions& options, const Plane& page, const Homography& h) {
  const Plane frame = Plane::Host(options.frame, PixelType::kU8x3);
  const double determinant = h[0] * h[4] - h[1] * h[3];
  for (int y = 0; y < frame.height(); ++y) {
    for (int x = 0; x < frame.width(); ++x) {
      const double dx = x - h[2];
      const double dy = y - h[5];
      const int u = static_cast<int>(std::floor((h[4] * dx - h[1] * dy) / determinant));
      const int v = static_cast<int>(std::floor((h[0] * dy - h[3] * dx) / determinant));
      const int light = 14 - 28 * x / frame.width();
      Colour colour{94 + y % 13, 74 + y % 13, 58 + y % 7};
      if (u >= 0 && v >= 0 && u < page.width() && v < page.height()) {
        const std::uint8_t* pixel = page.Row<std::uint8_t>(v) + std::ptrdiff_t{3} * u;
        colour = {pixel[0], pixel[1], pixel[2]};
      }
      Put(frame, x, y, {colour.r + light, colour.g + light, colour.b + light});
    }
  }
  return frame;
}

std::vector<FrameMeasure> Measure(const SampleOptions& options, double limit_px,
                                  double calmest_px) {
  Dice dice(options.seed + 17);
  std::vector<FrameMeasure> frames;
  for (int i = 0; i < options.frames; ++i) {
    FrameMeasure frame;
    frame.index = i;
    frame.timestamp_us = std::int64_t{i} * 1'000'000 / 30;
    const double sway = 1.4 * std::abs(std::sin(i / 19.0)) + dice.Roll(0, 100) / 180.0;
    const double motion = calmest_px + sway + (i % 97 == 60 ? 9.0 : 0.0);
    if (i > 0) frame.motion256 = std::lround(256 * motion);
    frame.sharpness16 = std::lround(16 * (420 / (1 + motion) + dice.Roll(0, 40)));
    frame.clipped = dice.Roll(0, 30) / 1000.0;
    frame.eligible = i > 0 && motion <= limit_px;
    frames.push_back(frame);
  }
  return frames;
}

void ChooseGolden(const SampleOptions& options, SampleScan& scan) {
  std::vector<FrameMeasure> steady;
  for (const FrameMeasure& frame : scan.report.frames) {
    if (frame.eligible) steady.push_back(frame);
  }
  std::stable_sort(steady.begin(), steady.end(),
                   [](const auto& a, const auto& b) { return a.sharpness16 > b.sharpness16; });
  for (const FrameMeasure& frame : steady) {
    const auto too_near = [&](const GoldenFrame& other) {
      return std::abs(other.measure.index - frame.index) < 15;
    };
    auto& golden = scan.report.golden;
    if (static_cast<int>(golden.size()) == options.golden_frames) break;
    if (std::any_of(golden.begin(), golden.end(), too_near)) continue;
    GoldenFrame chosen{.measure = frame,
                       .registered = golden.size() != 3,
                       .residual_px = golden.empty() ? 0.0 : 0.11 + 0.09 * golden.size(),
                       .coverage = 1.0,
                       .frame_from_object = PlaceOnDesk(options, static_cast<int>(frame.index)),
                       .why_dropped = {}};
    if (!chosen.registered) {
      chosen.residual_px = 1.31;
      chosen.coverage = 0.94;
      chosen.why_dropped = "its median residual of 1.31 px is over 0.75 px";
    }
    scan.pictures.golden.push_back(
        Film(options, scan.pictures.rectified, chosen.frame_from_object));
    golden.push_back(chosen);
  }
}

/// What the labels say about each piece of damage.
void ListRegions(const SampleOptions& options, SampleScan& scan) {
  const Plane& labels = scan.pictures.labels;
  std::vector<DefectRegion> regions(static_cast<std::size_t>(options.regions) + 1);
  std::vector<double> scores(regions.size(), 0);
  for (int y = 0; y < labels.height(); ++y) {
    for (int x = 0; x < labels.width(); ++x) {
      const auto id = static_cast<std::size_t>(labels.Row<std::int32_t>(y)[x]);
      if (id == 0) continue;
      DefectRegion& region = regions[id];
      Rectangle& box = region.box;
      if (region.area_px++ == 0) box = {x, y, 1, 1};
      const int right = std::max(box.x + box.width, x + 1);
      box.x = std::min(box.x, x);
      box.width = right - box.x;
      box.height = y + 1 - box.y;
      scores[id] += scan.pictures.score.Row<std::int32_t>(y)[x] / 1048576.0;
    }
  }
  const Homography& h = scan.report.golden.front().frame_from_object;
  for (std::size_t id = 1; id < regions.size(); ++id) {
    DefectRegion& region = regions[id];
    if (region.area_px == 0) continue;
    const Rectangle& box = region.box;
    region.id = static_cast<int>(id);
    region.length_px = std::hypot(box.width, box.height);
    region.width_px = static_cast<double>(region.area_px) / region.length_px;
    region.kind = id == 1                                  ? RegionKind::kEdgeLoss
                  : region.length_px > 4 * region.width_px ? RegionKind::kLine
                                                           : RegionKind::kSpot;
    region.frame_box = MapBox(h, box.x, box.y, box.x + box.width, box.y + box.height);
    region.strength = scores[id] / static_cast<double>(region.area_px);
    region.views = 1 + static_cast<int>(id % 4);
    scan.report.regions.push_back(region);
  }
  std::stable_sort(scan.report.regions.begin(), scan.report.regions.end(),
                   [](const auto& a, const auto& b) { return a.area_px > b.area_px; });
  scan.report.regions_found = static_cast<std::int64_t>(scan.report.regions.size());
}

double DamagedPercent(const Plane& mask, const Rectangle& box) {
  std::int64_t damaged = 0;
  for (int y = box.y; y < box.y + box.height; ++y) {
    const std::uint8_t* row = mask.Row<std::uint8_t>(y);
    damaged += std::count(row + box.x, row + box.x + box.width, std::uint8_t{255});
  }
  return 100.0 * static_cast<double>(damaged) / (std::int64_t{box.width} * box.height);
}

void ScoreNamedRegions(Size size, SampleScan& scan) {
  const int spine = size.width * 8 / 100;
  const int w = size.width * 15 / 100;
  const int h = size.height * 12 / 100;
  const auto add = [&](const char* name, Rectangle box) {
    scan.report.named_regions.push_back({name, box, DamagedPercent(scan.pictures.mask, box)});
  };
  add("spine", {0, 0, spine, size.height});
  add("corner_tl", {0, 0, w, h});
  add("corner_tr", {size.width - w, 0, w, h});
  add("corner_br", {size.width - w, size.height - h, w, h});
  add("corner_bl", {0, size.height - h, w, h});
  add("surface", {size.width / 5, size.height / 5, size.width * 3 / 5, size.height * 3 / 5});
  scan.report.named_regions[4].damaged_percent.reset();  // a finger lay on it
  scan.report.damaged_percent = DamagedPercent(scan.pictures.mask, {0, 0, size.width, size.height});
}

ScanReport Frame(const SampleOptions& options) {
  ScanReport report;
  report.scan_id = options.scan_id;
  report.item_type = "comic";
  report.profile = "classic";
  report.motion_limit_px = 2.0;
  report.video = {.container = "mov,mp4,m4a,3gp,3g2,mj2",
                  .codec = "h264",
                  .pixel_format = "yuv420p",
                  .coded_size = options.frame,
                  .size = options.frame,
                  .rotation = 0,
                  .frames = options.frames,
                  .duration_s = options.frames / 30.0,
                  .frames_per_s = 30,
                  .bit_depth = 8,
                  .full_range = false};
  report.decoding.frames = options.frames;
  report.device = "cpu";
  report.device_why = "first of auto that works";
  for (const char* stage :
       {"statistics", "flow", "edges", "morphology", "warp", "detail", "fusion"}) {
    report.stages.push_back({stage, "cpu (2 cores, AVX2)"});
  }
  return report;
}

}  // namespace

SampleScan MakeSampleScan(const SampleOptions& options) {
  SampleScan scan{.report = Frame(options), .pictures = {}};
  scan.pictures.rectified = DrawPage(options.object);
  scan.pictures.mask = Zeros(options.object, PixelType::kU8);
  scan.pictures.labels = Zeros(options.object, PixelType::kS32);
  scan.pictures.score = Zeros(options.object, PixelType::kS32);
  Dice dice(options.seed);
  for (int id = 1; id <= options.regions; ++id) DamageOnePlace(scan.pictures, id, dice);
  AddBackgroundScore(scan.pictures);
  scan.report.frames = Measure(options, scan.report.motion_limit_px, 0.3);
  ChooseGolden(options, scan);
  const GoldenFrame& reference = scan.report.golden.front();
  scan.report.object = LocatedObject{.reference_frame = reference.measure.index,
                                     .corners = MapBox(reference.frame_from_object, 0, 0,
                                                       options.object.width, options.object.height),
                                     .size = options.object,
                                     .method = "outline",
                                     .confidence = 0.93};
  ListRegions(options, scan);
  ScoreNamedRegions(options.object, scan);
  scan.report.warnings = {"3 frames are damaged and were left out"};
  scan.report.advice = {
      "Hold the phone so that the lamp is not mirrored: 3 % of the pixels are clipped."};
  return scan;
}

SampleScan MakeUnusableScan(const SampleOptions& options) {
  SampleScan scan{.report = Frame(options), .pictures = {}};
  scan.report.outcome = ScanOutcome::kNoUsableFrames;
  scan.report.frames = Measure(options, scan.report.motion_limit_px, 2.6);
  scan.report.advice = {"Hold the phone still for a second over each part of the object.",
                        "Rest your elbows on the table."};
  return scan;
}

}  // namespace glint
