// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/lost_ink/dash_row_evidence.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace glint::photometric {
namespace {

double Radians(double degrees) { return degrees * std::numbers::pi / 180; }

/// The logarithm of a Gaussian's density.
double LogGaussian(double value, double deviation) {
  const double times = value / deviation;
  return -times * times / 2 - std::log(deviation * std::sqrt(2 * std::numbers::pi));
}

/// The angle between two lines, radians: 0 to a quarter turn.
double Between(double cosine, double sine, const PaperDash& dash) {
  const double across = std::abs(cosine * dash.sine - sine * dash.cosine);
  return std::asin(std::min(across, 1.0));
}

/// How many others there are around each dash by chance, per px^2 and radian of direction.
/// @param area  of the object, px^2
std::vector<double> Densities(std::span<const PaperDash> dashes, double area,
                              const DashRowEvidenceParams& params) {
  const double around = std::numbers::pi * params.around_px * params.around_px;
  const double alike = Radians(params.alike_deg);
  const auto all = static_cast<double>(dashes.size());
  std::vector<double> densities;
  densities.reserve(dashes.size());
  for (const PaperDash& dash : dashes) {
    int near = 0, near_alike = 0;
    for (const PaperDash& other : dashes) {
      const double away = std::hypot(other.x - dash.x, other.y - dash.y);
      if (&other == &dash || away >= params.around_px) continue;
      ++near;
      near_alike += Between(dash.cosine, dash.sine, other) < alike ? 1 : 0;
    }
    const auto others = [&](int count) {
      return static_cast<double>(std::max(count - params.own_dashes, 0)) / around;
    };
    densities.push_back(std::max(std::max(all / area, others(near)) / std::numbers::pi,
                                 others(near_alike) / (2 * alike)));
  }
  return densities;
}

}  // namespace

DashRowEvidence::DashRowEvidence(std::span<const PaperDash> dashes, double area,
                                 const DashRowEvidenceParams& params)
    : dashes_(dashes), params_(params), density_(Densities(dashes, area, params)) {
  own_.reserve(dashes.size());
  for (const PaperDash& dash : dashes) {
    own_.push_back(std::clamp(dash.evidence, params.min_dash_evidence, params.max_dash_evidence));
  }
}

DashRowEvidence::Part DashRowEvidence::BestPart(const StraightLine& row,
                                                std::span<const std::size_t> dashes) const {
  constexpr double kNone = -std::numeric_limits<double>::infinity();
  Part best{.evidence = kNone};
  Part pair, longer{.evidence = kNone};  // the best ones that end at a dash
  for (std::size_t last = 1; last < dashes.size(); ++last) {
    const std::size_t from = dashes[last - 1], to = dashes[last];
    const double added = own_[to] + OfLink(row, from, to);
    const Part& gone_on = pair.evidence > longer.evidence ? pair : longer;
    if (last > 1) longer = {gone_on.evidence + added, gone_on.first, last};
    const double start = own_[from] + OfTurn(row, dashes_[from]) +
                         std::log(std::numbers::pi);  // by chance it has any direction
    pair = {start + added, last - 1, last};
    const double of_pair = pair.evidence - params_.pair_cost;
    if (of_pair > best.evidence) best = {of_pair, pair.first, pair.last};
    if (longer.evidence > best.evidence) best = longer;
  }
  return best;
}

double DashRowEvidence::OfTurn(const StraightLine& row, const PaperDash& dash) const {
  return LogGaussian(
      Between(row.cosine, row.sine, dash),
      std::hypot(Radians(params_.turn_deg), Radians(params_.turn_deg_px) / dash.length));
}

/// Of a dash that follows another one, that it does so because both are of one line.
double DashRowEvidence::OfLink(const StraightLine& row, std::size_t from, std::size_t to) const {
  const PaperDash &one = dashes_[from], &next = dashes_[to];
  const double dx = next.x - one.x, dy = next.y - one.y;
  const double gap = dx * row.cosine + dy * row.sine - (one.length + next.length) / 2;
  const double offset = dy * row.cosine - dx * row.sine;
  return -std::max(gap, 0.0) / params_.mean_gap_px - std::log(params_.mean_gap_px) +
         LogGaussian(offset, params_.offset_px) + OfTurn(row, next) -
         (std::log(density_[from]) + std::log(density_[to])) / 2;
}

}  // namespace glint::photometric
