// SPDX-License-Identifier: Apache-2.0
#include "report/charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>
#include <vector>

#include "report/html_text.h"

namespace glint {
namespace {

constexpr std::size_t kColumns = 480;

/// What a chart shows.
struct Series {
  std::string_view id;
  std::string_view title;
  std::string_view unit;
  int decimals;
  std::vector<std::optional<double>> values;  // one per frame
  std::optional<double> limit;
};

/// The frames that share a column of the chart.
struct Column {
  double x = 0;  // 0..1
  std::optional<double> low, high;
};

/// Distance between round ticks (1, 2 or 5 times a power of ten), at most `steps` of them up to
/// `range`.
double TickStep(double range, int steps) {
  const double rough = std::max(range, 1e-9) / steps;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

std::int64_t LastTime(const ScanReport& report) {
  return std::max<std::int64_t>(1, report.frames.back().timestamp_us);
}

double XOf(const ScanReport& report, std::int64_t timestamp_us) {
  return std::clamp(static_cast<double>(timestamp_us) / static_cast<double>(LastTime(report)), 0.0,
                    1.0);
}

std::vector<Column> MakeColumns(const ScanReport& report, const Series& series) {
  const std::size_t count = std::min(kColumns, report.frames.size());
  std::vector<Column> columns(count);
  for (std::size_t c = 0; c < count; ++c) {
    columns[c].x = count == 1 ? 0.5 : static_cast<double>(c) / static_cast<double>(count - 1);
  }
  for (std::size_t i = 0; i < report.frames.size(); ++i) {
    const std::optional<double>& value = series.values[i];
    if (!value) continue;
    const double x = XOf(report, report.frames[i].timestamp_us);
    Column& column = columns[static_cast<std::size_t>(std::lround(x * double(count - 1)))];
    column.low = std::min(column.low.value_or(*value), *value);
    column.high = std::max(column.high.value_or(*value), *value);
  }
  return columns;
}

/// The line as an SVG path in a box of 1000 x 100; a point without neighbours becomes a dot.
std::string Path(const std::vector<Column>& columns, double top) {
  const auto y = [top](double value) { return 100 * (1 - std::min(value / top, 1.0)); };
  std::string path;
  bool drawing = false;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const Column& column = columns[c];
    if (!column.low) {
      drawing = false;
      continue;
    }
    const double x = 1000 * column.x;
    fmt::format_to(std::back_inserter(path), "{}{:.1f} {:.1f}", drawing ? 'L' : 'M', x,
                   y(*column.high));
    if (*column.low < *column.high) {
      fmt::format_to(std::back_inserter(path), "V{:.1f}", y(*column.low));
    }
    const bool alone = !drawing && (c + 1 == columns.size() || !columns[c + 1].low);
    if (alone) path += "h.1";
    drawing = true;
  }
  return path;
}

/// The top of the scale. A jerk much faster than the limit would press everything else flat.
double TopOf(const Series& series) {
  std::vector<double> known;
  for (const auto& value : series.values) {
    if (value) known.push_back(*value);
  }
  double top = series.limit ? 1.5 * *series.limit : 1.0;
  if (!known.empty()) {
    std::sort(known.begin(), known.end());
    double wanted = known.back();
    if (series.limit) {
      const double bulk = known[(known.size() - 1) * 95 / 100];
      wanted = std::min(wanted, std::max(1.5 * bulk, 3 * *series.limit));
    }
    top = std::max(top, wanted);
  }
  const double step = TickStep(top, 4);
  return step * std::ceil(top / step - 1e-9);
}

std::string YTicks(double top) {
  const double step = TickStep(top, 4);
  const int decimals = step < 0.1 ? 2 : step < 1 ? 1 : 0;
  std::string out;
  for (int i = 0; i * step <= top * (1 + 1e-9); ++i) {
    fmt::format_to(std::back_inserter(out),
                   R"(<span class="tick-y" style="top:{:.2f}%">{:.{}f}</span>)",
                   100 * (1 - i * step / top), i * step, decimals);
  }
  return out;
}

/// As TickStep, for a time: above ten seconds in steps that clocks are read in.
double TimeStep(double seconds) {
  constexpr double kTicks = 8;
  for (const double step : {2.0, 5.0, 10.0, 15.0, 30.0, 60.0, 120.0, 300.0, 600.0}) {
    if (seconds > 10 && step * kTicks >= seconds) return step;
  }
  return TickStep(seconds, 6);
}

std::string XTicks(double seconds) {
  const double step = TimeStep(seconds);
  std::string out;
  for (int i = 0; i * step <= seconds * (1 + 1e-9); ++i) {
    const double t = i * step;
    const std::string text = seconds >= 120
                                 ? fmt::format("{}:{:02}", std::lround(t) / 60, std::lround(t) % 60)
                                 : fmt::format("{:.{}f} s", t,
                                               step < 0.1 ? 2
                                               : step < 1 ? 1
                                                          : 0);
    fmt::format_to(std::back_inserter(out),
                   R"(<span class="tick-x" style="left:{:.2f}%">{}</span>)", 100 * t / seconds,
                   text);
  }
  return out;
}

/// Where each golden frame is, as links to it.
std::string Markers(const ScanReport& report, const Series& series, double top) {
  std::string out;
  for (std::size_t i = 0; i < report.golden.size(); ++i) {
    const FrameMeasure& frame = report.golden[i].measure;
    const auto at = std::find_if(report.frames.begin(), report.frames.end(),
                                 [&](const FrameMeasure& f) { return f.index == frame.index; });
    if (at == report.frames.end()) continue;
    const auto& value = series.values[static_cast<std::size_t>(at - report.frames.begin())];
    if (!value) continue;
    const std::string label =
        fmt::format("Golden frame {}: {} {:.{}f} {}at {}", i + 1, series.title, *value,
                    series.decimals, series.unit, ClockText(frame.timestamp_us));
    fmt::format_to(
        std::back_inserter(out),
        R"(<a class="marker" href="#golden-{0}" style="left:{1:.2f}%;top:{2:.2f}%" title="{3}" aria-label="{3}"></a>)",
        i + 1, 100 * XOf(report, frame.timestamp_us), 100 * (1 - std::min(*value / top, 1.0)),
        label);
  }
  return out;
}

std::string LimitLine(const Series& series, double top) {
  if (!series.limit) return "";
  const double y = 100 * (1 - *series.limit / top);
  return fmt::format(R"(<div class="limit" style="top:{:.2f}%"><span>limit {:.2f} px</span></div>)",
                     y, *series.limit);
}

/// The columns for the script that shows values under the pointer: [x, low, high] each.
std::string ColumnData(const std::vector<Column>& columns, int decimals) {
  std::string out = "[";
  for (const Column& column : columns) {
    if (!column.low) continue;
    fmt::format_to(std::back_inserter(out), "{}[{:.4f},{:.{}f},{:.{}f}]", out.size() > 1 ? "," : "",
                   column.x, *column.low, decimals, *column.high, decimals);
  }
  return out + "]";
}

/// One sentence with the range, which is also what a screen reader says of the chart.
std::string Caption(const Series& series, double top) {
  std::vector<double> known;
  for (const auto& value : series.values) {
    if (value) known.push_back(*value);
  }
  if (known.empty()) return "not measured";
  std::sort(known.begin(), known.end());
  const auto number = [&](double value) { return fmt::format("{:.{}f}", value, series.decimals); };
  const std::string cut =
      known.back() > top ? fmt::format("; values over {} are cut off", number(top)) : "";
  return fmt::format("{} to {} {}in {}, median {}{}", number(known.front()), number(known.back()),
                     series.unit, Count(std::ssize(known), "frame"),
                     number(known[known.size() / 2]), cut);
}

std::string Chart(const ScanReport& report, const Series& series) {
  const double top = TopOf(series);
  const double seconds = static_cast<double>(LastTime(report)) / 1e6;
  const std::vector<Column> columns = MakeColumns(report, series);
  const std::string caption = Caption(series, top);
  return fmt::format(
      R"(<figure class="chart" id="{id}" data-seconds="{seconds:.3f}" data-top="{top:g}" data-unit="{unit}" data-columns="{columns}">
<figcaption><b>{title}</b> <span>{caption}</span></figcaption>
<div class="plot{dense}">{y_ticks}<svg viewBox="0 0 1000 100" preserveAspectRatio="none" role="img" aria-label="{title} over time: {caption}"><path d="{path}"/></svg>{limit}{markers}</div>
<div class="axis-x">{x_ticks}</div>
</figure>
)",
      fmt::arg("id", series.id), fmt::arg("seconds", seconds), fmt::arg("top", top),
      fmt::arg("unit", series.unit), fmt::arg("columns", ColumnData(columns, series.decimals)),
      fmt::arg("title", series.title),
      fmt::arg("dense", report.frames.size() > kColumns ? " dense" : ""),
      fmt::arg("caption", caption), fmt::arg("y_ticks", YTicks(top)),
      fmt::arg("path", Path(columns, top)), fmt::arg("limit", LimitLine(series, top)),
      fmt::arg("markers", Markers(report, series, top)), fmt::arg("x_ticks", XTicks(seconds)));
}

}  // namespace

std::string SharpnessChart(const ScanReport& report) {
  if (report.frames.empty()) return "";
  Series series{.id = "sharpness-chart",
                .title = "Sharpness",
                .unit = "",
                .decimals = 1,
                .values = {},
                .limit = {}};
  for (const FrameMeasure& frame : report.frames) {
    series.values.emplace_back(static_cast<double>(frame.sharpness16) / 16);
  }
  return Chart(report, series);
}

std::string MotionChart(const ScanReport& report) {
  if (report.frames.empty()) return "";
  Series series{.id = "motion-chart",
                .title = "Motion",
                .unit = "px/frame ",
                .decimals = 2,
                .values = {},
                .limit = report.motion_limit_px};
  for (const FrameMeasure& frame : report.frames) {
    series.values.emplace_back();
    if (frame.motion256) series.values.back() = static_cast<double>(*frame.motion256) / 256;
  }
  return Chart(report, series);
}

}  // namespace glint
