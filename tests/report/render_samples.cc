// SPDX-License-Identifier: Apache-2.0
// Renders invented scans into folders, for the tests that look at files: the schemas and the page.
// usage: render_samples <folder>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>

#include "assess/both_sides.h"
#include "base/thread_pool.h"
#include "glint/error.h"
#include "report/html.h"
#include "report/json.h"
#include "support/sample_report.h"

namespace glint {
namespace {

namespace fs = std::filesystem;

void Write(const fs::path& file, std::string_view content) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << content;
}

absl::Status Render(const fs::path& folder, const SampleScan& scan) {
  ThreadPool pool(2);
  const auto page = RenderHtml(scan.report, scan.pictures, pool, scan.assessment);
  if (!page.ok()) return page.status();
  Write(folder / "report.html", *page);
  Write(folder / "report.json", ToJson(scan.report, scan.assessment));
  Write(folder / "timing.json", ToJson(ScanTiming{.step_ms = {{"decoding", 812.5}, {"done", 0.01}},
                                                  .wall_ms = 900.25,
                                                  .cpu_ms = 1600,
                                                  .peak_rss_bytes = 123'456'789,
                                                  .threads = 2}));
  return absl::OkStatus();
}

/// Both sides of an item; the back was not judged where there is no scan of it.
absl::Status RenderBoth(const fs::path& folder, const SampleScan& front, const SampleScan& back) {
  ThreadPool pool(2);
  const BothSides both = Together({front.report, front.assessment}, {back.report, back.assessment});
  const auto page = RenderHtml({front.report, front.pictures, front.assessment},
                               {back.report, back.pictures, back.assessment}, both, pool);
  if (!page.ok()) return page.status();
  Write(folder / "report.html", *page);
  Write(folder / "report.json",
        ToJson(front.report, front.assessment, BackSummary{back.report, back.assessment, both}));
  Write(folder / "back" / "report.json", ToJson(back.report, back.assessment));
  Write(folder / "timing.json", ToJson(ScanTiming{.threads = 2}));
  return absl::OkStatus();
}

SampleScan UnknownScan() {
  SampleScan scan = MakeSampleScan({.scan_id = "unknown", .regions = 0, .golden_frames = 1});
  scan.report.damaged_percent.reset();
  for (NamedRegion& region : scan.report.named_regions) region.damaged_percent.reset();
  for (ObjectPart& part : scan.assessment->parts) part.damaged_percent.reset();
  scan.report.object->method = "full frame";
  scan.report.object->confidence = 0;
  return scan;
}

/// What `mask` marks and `part` does not.
Plane Without(const Plane& part, const Plane& mask) {
  Plane left = Plane::Host(mask.size(), PixelType::kU8);
  for (int y = 0; y < mask.height(); ++y) {
    const auto *all = mask.Row<std::uint8_t>(y), *some = part.Row<std::uint8_t>(y);
    for (int x = 0; x < mask.width(); ++x) {
      left.Row<std::uint8_t>(y)[x] = some[x] != 0 ? 0 : all[x];
    }
  }
  return left;
}

/// A scan that was compared with an earlier one: two regions are stains, half of them are new.
SampleScan ComparedScan() {
  SampleScan scan = MakePhotometricScan({.scan_id = "compared"});
  ScanReport& report = scan.report;
  report.reference = {.name = "report.json",
                      .scan_id = "earlier",
                      .compared_percent = 96.5,
                      .changed_percent = 1.25,
                      .new_regions = std::ssize(report.regions) / 2};
  for (std::size_t i = 0; i < report.regions.size(); ++i) report.regions[i].is_new = i % 2 == 0;
  report.regions[1].kind = RegionKind::kStain;
  report.regions[2].kind = RegionKind::kFading;
  for (const int i : {1, 2}) report.regions[static_cast<std::size_t>(i)].family = kReferenceLayer;
  for (Defect& defect : scan.assessment->defects) {
    if (defect.region == report.regions[1].id) defect.name = DefectName::kStain;
    if (defect.region == report.regions[2].id) defect.name = DefectName::kFading;
  }
  const Plane& labels = scan.pictures.labels;
  Plane changed = Plane::Host(labels.size(), PixelType::kU8);
  for (int y = 0; y < labels.height(); ++y) {
    for (int x = 0; x < labels.width(); ++x) {
      const std::int32_t id = labels.Row<std::int32_t>(y)[x];
      changed.Row<std::uint8_t>(y)[x] =
          id == report.regions[1].id || id == report.regions[2].id ? 255 : 0;
    }
  }
  scan.pictures.layers.emplace_back(kReferenceLayer, changed);
  scan.pictures.layers.emplace_back(kNewLayer, changed);
  for (auto& [name, mask] : scan.pictures.layers) {
    if (name == kLinesLayer) mask = Without(changed, mask);
  }
  scan.pictures.good_copy = scan.pictures.rectified;
  return scan;
}

/// Whoever names a file must not be able to run code in the page.
SampleScan HostileScan() {
  const std::string attack = "\"><script>window.hacked=1</script><img src=x onerror='hacked=1'>&'";
  SampleScan scan = MakeSampleScan({.scan_id = attack, .frames = 90});
  ScanReport& report = scan.report;
  for (std::string* text :
       {&report.item_type, &report.profile, &report.device, &report.device_why, &report.motion_mode,
        &report.video.codec, &report.video.container, &report.video.pixel_format,
        &report.object->method, &report.named_regions[0].name, &report.golden[1].why_dropped,
        &report.stages[0].stage, &report.stages[0].device}) {
    *text = attack;
  }
  scan.assessment->verdict = scan.assessment->notes.emplace_back(attack);
  scan.assessment->axes[0].text = attack;
  report.advice.push_back(attack);
  report.warnings.push_back(attack);
  report.decoding.warnings.push_back(attack + " \xff");
  return scan;
}

int Main(std::span<char*> arguments) {
  if (arguments.size() != 2) {
    std::fputs("usage: render_samples <folder>\n", stderr);
    return 2;
  }
  const fs::path folder = arguments[1];
  const std::pair<const char*, SampleScan> samples[] = {
      {"scanned", MakeSampleScan()},
      {"long", MakeSampleScan({.scan_id = "long",
                               .frames = 6000,
                               .regions = 200,
                               .golden_frames = 12,
                               .object = {1100, 1550}})},
      {"photometric", MakePhotometricScan({.scan_id = "photometric"})},
      {"unknown", UnknownScan()},
      {"compared", ComparedScan()},
      {"unusable", MakeUnusableScan()},
      {"unjudged", MakeUnjudgedScan()},
      {"unusable_long", MakeUnusableScan({.frames = 6000})},
      {"one_frame", MakeUnusableScan({.frames = 1})},
      {"hostile", HostileScan()}};
  const std::pair<const char*, SampleScan> backs[] = {{"both_sides", ComparedScan()},
                                                      {"back_unjudged", MakeUnjudgedScan()}};
  for (const auto& [name, back] : backs) {
    const absl::Status rendered =
        RenderBoth(folder / name, MakePhotometricScan({.scan_id = name}), back);
    if (rendered.ok()) continue;
    std::fprintf(stderr, "%s: %s\n", name, std::string(Message(rendered)).c_str());
    return 1;
  }
  for (const auto& [name, scan] : samples) {
    const absl::Status rendered = Render(folder / name, scan);
    if (rendered.ok()) continue;
    std::fprintf(stderr, "%s: %s\n", name, std::string(Message(rendered)).c_str());
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace glint

int main(int argc, char** argv) { return glint::Main({argv, static_cast<std::size_t>(argc)}); }
