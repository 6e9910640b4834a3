// SPDX-License-Identifier: Apache-2.0
#include "support/sample_report.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "analyse/item_types.h"
#include "analyse/leave_unjudged.h"
#include "analyse/stage_names.h"
#include "assess/assess.h"
#include "report/embedded_pictures.h"
#include "report/golden_picture.h"
#include "report/overlay.h"
#include "report/pictures.h"
#include "support/sample_pictures.h"

namespace glint {
namespace {

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
    const Plane frame_rgb = Film(scan.pictures.rectified, options.frame, chosen.frame_from_object);
    scan.pictures.golden.push_back(
        *EncodeGoldenPicture(frame_rgb, static_cast<std::size_t>(options.golden_frames)));
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

Plane Zeros(Size size) {
  Plane plane = Plane::Host(size, PixelType::kU8);
  for (int y = 0; y < size.height; ++y) std::memset(plane.Row<std::uint8_t>(y), 0, size.width);
  return plane;
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
  report.profile = kProfileClassic;
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
  return report;
}

/// As the scan's last step does.
void AssessAll(SampleScan& scan) {
  const ScanPictures& pictures = scan.pictures;
  const Plane unknown = Layer(pictures, kUnknownLayer);
  const Plane seen = Unmarked(unknown.empty() ? Zeros(pictures.mask.size()) : unknown);
  scan.assessment = Assess({.report = scan.report,
                            .labels = pictures.labels,
                            .mask = pictures.mask,
                            .seen = seen,
                            .picture = pictures.median,
                            .around = {pictures.median, 0},
                            .size = ""});
}

/// Says which stages ran.
void NameStages(ScanReport& report) {
  report.stages.clear();
  for (const std::string_view stage : StagesRun(report.profile, report.outcome)) {
    report.stages.push_back({std::string(stage), "cpu (2 cores, AVX2)"});
  }
}

/// Says of each region what the views say, and shows the twelve largest.
void LookCloser(SampleScan& scan) {
  constexpr int kSide = 160;
  const Size size = scan.pictures.rectified.size();
  for (DefectRegion& region : scan.report.regions) {
    region.family = region.id == 1 ? kOutlineLayer : kLinesLayer;
    if (region.id == 1) region.strength = 1;
    region.confidence = 1 - 0.4 / region.id;
    region.best_frame =
        scan.report.golden[static_cast<std::size_t>(region.id) % scan.report.golden.size()]
            .measure.index;
    if (scan.pictures.close_ups.size() == 12) continue;
    const Rectangle box{
        std::clamp(region.box.x + region.box.width / 2 - kSide / 2, 0, size.width - kSide),
        std::clamp(region.box.y + region.box.height / 2 - kSide / 2, 0, size.height - kSide), kSide,
        kSide};
    const Plane part = Crop(scan.pictures.rectified, box.x, box.y, {kSide, kSide});
    scan.pictures.close_ups.push_back({region.id, box, *JpegUrl(part, kSide, 85)});
  }
}

}  // namespace

SampleScan MakeSampleScan(const SampleOptions& options) {
  SampleScan scan{.report = Frame(options),
                  .assessment = {},
                  .pictures = DrawDamagedPage(options.object, options.regions, options.seed)};
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
  NameStages(scan.report);
  AssessAll(scan);
  scan.report.warnings = {"3 frames are damaged and were left out"};
  scan.report.advice = {
      "Hold the phone so that the lamp is not mirrored: 3 % of the pixels are clipped."};
  return scan;
}

SampleScan MakePhotometricScan(const SampleOptions& options) {
  SampleScan scan = MakeSampleScan(options);
  scan.report.profile = kProfilePhotometric;
  NameStages(scan.report);
  scan.pictures.median = scan.pictures.rectified;
  const Size size = options.object;
  Plane lines = Zeros(size), outline = Zeros(size), glare = Zeros(size), unknown = Zeros(size);
  for (int y = 0; y < size.height; ++y) {
    for (int x = 0; x < size.width; ++x) {
      const std::int32_t id = scan.pictures.labels.Row<std::int32_t>(y)[x];
      const double right = (2.0 * x - size.width) / size.width;
      const double down = (2.0 * y - size.height) / size.height;
      const auto mark = [&](const Plane& plane, bool marked) {
        plane.Row<std::uint8_t>(y)[x] = marked ? 255 : 0;
      };
      mark(outline, id == 1);
      if (id == 1)
        scan.pictures.score.Row<std::int32_t>(y)[x] = 1 << 20;  // what is gone is certain
      mark(lines, id > 1);
      mark(glare, 4 * right * right + 9 * down * down < 1);
      mark(unknown, id == 0 && 4 * x + 3 * y < size.width);
    }
  }
  const Rectangle whole{0, 0, size.width, size.height};
  scan.report.glare_percent = DamagedPercent(glare, whole);
  scan.report.unknown_percent = DamagedPercent(unknown, whole);
  scan.pictures.layers = {{std::string(kLinesLayer), lines},
                          {std::string(kOutlineLayer), outline},
                          {std::string(kGlareLayer), glare},
                          {std::string(kUnknownLayer), unknown}};
  LookCloser(scan);
  AssessAll(scan);
  return scan;
}

SampleScan MakeUnjudgedScan(const SampleOptions& options) {
  SampleScan scan = MakeSampleScan(options);
  scan.report.object.reset();
  scan.assessment.reset();
  LeaveUnjudged({.cause = NotJudgedCause::kNoObject, .timestamp_us = 2'500'000}, scan.report);
  scan.pictures = {.golden = std::move(scan.pictures.golden)};
  for (GoldenFrame& golden : scan.report.golden) {
    golden = {.measure = golden.measure};
  }
  return scan;
}

SampleScan MakeUnusableScan(const SampleOptions& options) {
  SampleScan scan{.report = Frame(options), .assessment = {}, .pictures = {}};
  scan.report.outcome = ScanOutcome::kNoUsableFrames;
  NameStages(scan.report);
  scan.report.frames = Measure(options, scan.report.motion_limit_px, 2.6);
  scan.report.advice = {"Hold the phone still for a second over each part of the object.",
                        "Rest your elbows on the table."};
  return scan;
}

}  // namespace glint
