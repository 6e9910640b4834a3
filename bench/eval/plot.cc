// SPDX-License-Identifier: Apache-2.0
#include "bench/eval/plot.h"

#include <fmt/format.h>

#include <utility>

namespace glint {
namespace {

constexpr double kAxisLeft = 60, kAxisTop = 40, kAxis = 400;

}  // namespace

SquarePlot::SquarePlot(std::string title, std::string across, std::string up)
    : title_(std::move(title)), across_(std::move(across)), up_(std::move(up)) {}

double SquarePlot::X(double value) const { return kAxisLeft + kAxis * value; }

double SquarePlot::Y(double value) const { return kAxisTop + kAxis * (1 - value); }

std::string SquarePlot::Begin() const {
  std::string svg =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 480 500\" width=\"480\" "
      "height=\"500\" font-family=\"sans-serif\" font-size=\"13\" role=\"img\">\n"
      "<rect width=\"480\" height=\"500\" fill=\"#fff\"/>\n";
  svg += fmt::format("<text x=\"{}\" y=\"24\">{}</text>\n", kAxisLeft, title_);
  for (int i = 0; i <= 5; ++i) {
    const double at = i / 5.0;
    svg += fmt::format(
        "<path d=\"M{0} {1}H{2}M{3} {4}V{5}\" stroke=\"#ddd\"/>"
        "<text x=\"{6}\" y=\"{7}\" text-anchor=\"end\">{8:.1f}</text>"
        "<text x=\"{3}\" y=\"{9}\" text-anchor=\"middle\">{8:.1f}</text>\n",
        kAxisLeft, Y(at), kAxisLeft + kAxis, X(at), kAxisTop, kAxisTop + kAxis, kAxisLeft - 8,
        Y(at) + 4, at, kAxisTop + kAxis + 18);
  }
  svg += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n",
                     kAxisLeft + kAxis / 2, kAxisTop + kAxis + 40, across_);
  svg += fmt::format(
      "<text transform=\"translate(16 {}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
      kAxisTop + kAxis / 2, up_);
  return svg;
}

}  // namespace glint
