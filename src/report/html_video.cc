// SPDX-License-Identifier: Apache-2.0
// The parts of the page that are about the video and about the work.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "report/assets.h"
#include "report/charts.h"
#include "report/html_sections.h"
#include "report/html_text.h"
#include "report/selection.h"

namespace glint {
namespace {

double Sharpness(const FrameMeasure& frame) { return static_cast<double>(frame.sharpness16) / 16; }

std::string MotionText(const FrameMeasure& frame) {
  if (!frame.motion256) return "not measured";
  return fmt::format("{:.2f} px", static_cast<double>(*frame.motion256) / 256);
}

/// The outline of the object in a golden frame.
std::string Outline(const ScanReport& report, const GoldenFrame& golden) {
  if (!report.object || !golden.registered) return "";
  const double right = report.object->size.width - 0.5;
  const double bottom = report.object->size.height - 0.5;
  const Homography& h = golden.frame_from_object;
  std::string points;
  for (const Point& corner : {Point{-0.5, -0.5}, {right, -0.5}, {right, bottom}, {-0.5, bottom}}) {
    const double w = h[6] * corner.x + h[7] * corner.y + h[8];
    if (w == 0) return "";
    fmt::format_to(std::back_inserter(points), "{:.1f},{:.1f} ",
                   (h[0] * corner.x + h[1] * corner.y + h[2]) / w + 0.5,
                   (h[3] * corner.x + h[4] * corner.y + h[5]) / w + 0.5);
  }
  return fmt::format(R"(<svg viewBox="0 0 {} {}" aria-hidden="true"><polygon points="{}"/></svg>)",
                     report.video.size.width, report.video.size.height, points);
}

std::string GoldenCard(const ScanReport& report, const std::vector<GoldenPicture>& pictures,
                       std::size_t i) {
  const GoldenFrame& golden = report.golden[i];
  const bool reference = report.object && report.object->reference_frame == golden.measure.index;
  const std::string badge = report.not_judged   ? ""
                            : reference         ? R"(<span class="badge ref">reference</span>)"
                            : golden.registered ? R"(<span class="badge">used</span>)"
                                                : R"(<span class="badge out">dropped</span>)";
  const std::string fit = golden.registered && !reference
                              ? fmt::format(", residual {:.2f} px, {:.0f} % of the object",
                                            golden.residual_px, 100 * golden.coverage)
                              : "";
  const std::string why =
      golden.why_dropped.empty() ? "" : "<br>Dropped: " + EscapeHtml(golden.why_dropped);
  const std::string picture =
      i < pictures.size()
          ? fmt::format(
                R"(<button type="button" class="enlarge" aria-label="Enlarge golden frame {}"><img src="{}" alt="Golden frame {}, frame {} of the video">{}</button>)",
                i + 1, pictures[i].page_url, i + 1, golden.measure.index, Outline(report, golden))
          : "";
  return FillTemplate(kGoldenFrameTemplate,
                      {{"number", std::to_string(i + 1)},
                       {"w", std::to_string(std::max(1, report.video.size.width))},
                       {"h", std::to_string(std::max(1, report.video.size.height))},
                       {"picture", picture},
                       {"index", std::to_string(golden.measure.index)},
                       {"time", ClockText(golden.measure.timestamp_us)},
                       {"badge", badge},
                       {"sharpness", fmt::format("{:.1f}", Sharpness(golden.measure))},
                       {"motion", MotionText(golden.measure)},
                       {"fit", fit},
                       {"why", why}});
}

using Facts = std::vector<std::pair<std::string_view, std::string>>;

/// A list of facts; the values are HTML.
std::string FactList(std::string_view title, const Facts& facts) {
  std::string rows;
  for (const auto& [what, value] : facts) {
    rows += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>", what, value);
  }
  return fmt::format("<section class=\"card facts\"><h2>{}</h2><dl>{}</dl></section>\n", title,
                     rows);
}

std::string VideoFacts(const ScanReport& report) {
  const VideoInfo& video = report.video;
  Facts facts = {
      {"Size", fmt::format("{} × {}", video.size.width, video.size.height)},
      {"Length", fmt::format("{:.2f} s", video.duration_s)},
      {"Frames", Grouped(report.decoding.frames)},
      {"Rate", video.frames_per_s > 0 ? fmt::format("{:.2f} per second", video.frames_per_s)
                                      : std::string("unknown")},
      {"Codec", EscapeHtml(video.codec)},
      {"Pixels", fmt::format("{}, {} bit, {} range", EscapeHtml(video.pixel_format),
                             video.bit_depth, video.full_range ? "full" : "limited")},
      {"Container", EscapeHtml(video.container)}};
  if (video.rotation != 0) facts.emplace_back("Rotated by", fmt::format("{}°", video.rotation));
  if (report.decoding.damaged > 0) {
    facts.emplace_back("Damaged, left out", Grouped(report.decoding.damaged));
  }
  if (report.decoding.truncated) facts.emplace_back("Truncated", "the file ends early");
  return FactList("Video", facts);
}

std::string SelectionFacts(const ScanReport& report) {
  const Selection selection = Summarise(report);
  return FactList("Choice of frames",
                  {{"Steady enough", Grouped(selection.eligible)},
                   {"Moved too fast", Grouped(selection.moving)},
                   {"Motion not measured", Grouped(selection.unmeasured)},
                   {"Motion limit", fmt::format("{:.2f} px per frame", report.motion_limit_px)},
                   {"Measured motion of", EscapeHtml(report.motion_mode) + " frames"}});
}

std::string DeviceFacts(const ScanReport& report) {
  std::string device = EscapeHtml(report.device);
  if (!report.device_why.empty())
    device += "<br><small>" + EscapeHtml(report.device_why) + "</small>";
  std::string rows =
      fmt::format("<div><dt>decoding</dt><dd>{}</dd></div>", EscapeHtml(report.video.decoder));
  for (const StageDevice& stage : report.stages) {
    rows += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>", EscapeHtml(stage.stage),
                        EscapeHtml(stage.device));
  }
  return fmt::format(
      "<section class=\"card facts\"><h2>What ran where</h2><dl><div><dt>Device</dt><dd>{}</dd>"
      "</div>{}</dl></section>\n",
      device, rows);
}

}  // namespace

std::string RejectionSection(const ScanReport& report) {
  if (report.outcome != ScanOutcome::kNoUsableFrames) return "";
  const Selection selection = Summarise(report);
  if (selection.near_misses.empty()) {
    return R"(<section class="card"><h2>Why</h2><p>A frame counts as steady when it moved little since the one before it. The first frame has none before it, so a video needs at least two.</p></section>
)";
  }
  std::string rows;
  for (const FrameMeasure& frame : selection.near_misses) {
    const double motion = static_cast<double>(*frame.motion256) / 256;
    const std::string times =
        report.motion_limit_px > 0 ? fmt::format("{:.1f} ×", motion / report.motion_limit_px) : "";
    fmt::format_to(std::back_inserter(rows),
                   "<tr><td>{}</td><td>{}</td><td>{:.2f} px</td><td>{}</td><td>{:.1f}</td></tr>\n",
                   frame.index, ClockText(frame.timestamp_us), motion, times, Sharpness(frame));
  }
  return fmt::format(R"(<section class="card"><h2>The nearest misses</h2>
<p class="hint">Of {}, {} moved by more than {:.2f} px since the frame before. These came closest.</p>
<div class="scroller"><table><thead><tr><th scope="col">Frame</th><th scope="col">Time</th><th scope="col">Motion</th><th scope="col">Of the limit</th><th scope="col">Sharpness</th></tr></thead><tbody>
{}</tbody></table></div></section>
)",
                     Count(std::ssize(report.frames), "frame"), Grouped(selection.moving),
                     report.motion_limit_px, rows);
}

std::string VideoSection(const ScanReport& report, const std::vector<GoldenPicture>& golden) {
  std::string strip;
  for (std::size_t i = 0; i < report.golden.size(); ++i) strip += GoldenCard(report, golden, i);
  if (!strip.empty()) {
    strip =
        "<section class=\"card\"><h2>Golden frames</h2><p class=\"hint\">The sharpest steady "
        "frames" +
        std::string(report.not_judged ? "" : "; the masks rest on those that are used") +
        ".</p><div class=\"strip\" tabindex=\"0\" role=\"region\" "
        "aria-label=\"Golden frames\">\n" +
        strip + "</div></section>\n";
  }
  const std::string charts = SharpnessChart(report) + MotionChart(report);
  if (charts.empty()) return strip;
  const std::string hint =
      strip.empty() ? "" : "<p class=\"hint\">Each dot is a golden frame.</p>\n";
  return strip + "<section class=\"card\"><h2>The video over time</h2>" + hint + charts +
         "</section>\n";
}

std::string DetailsSection(const ScanReport& report) {
  return "<div class=\"details\">\n" + VideoFacts(report) + SelectionFacts(report) +
         DeviceFacts(report) + "</div>\n";
}

}  // namespace glint
