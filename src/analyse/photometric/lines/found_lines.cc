// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/lines/found_lines.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <opencv2/imgproc.hpp>
#include <set>
#include <utility>

#include "analyse/photometric/evidence/energy_normalisation.h"
#include "analyse/photometric/pixels/masks.h"
#include "base/mat.h"

namespace glint::photometric {
namespace {

/// The share of a line's pixels that are set.
double ShareOn(const StraightLine& line, const cv::Mat& mask) {
  int count = 0;
  for (int t = line.begin; t <= line.end; ++t) {
    const cv::Point at = line.At(t);
    const bool inside = cv::Rect({}, mask.size()).contains(at);
    count += inside && mask.at<std::uint8_t>(at) != 0 ? 1 : 0;
  }
  return static_cast<double>(count) / std::max(line.length(), 1);
}

class LineAdder {
 public:
  LineAdder(Lines lines, const Plane& energy, const AddedLineParams& params)
      : lines_(std::move(lines)), energy_(energy), params_(params) {
    lines_.mask = Plane::Host(lines_.ids.size(), PixelType::kU8);
    AsMat(lines_.mask).setTo(0);
    cv::dilate(AsMat(lines_.ids) != 0, known_, Disc(params.known_px));
    found_ = known_.clone();
    drawn_ = cv::Mat::zeros(found_.size(), CV_8U);
  }

  void Add(const FoundLine& found) {
    if (!found.continues) BeginLine();
    std::vector<cv::Point> pixels;
    int known = 0;
    for (int t = found.line.begin; t <= found.line.end; ++t) {
      const cv::Point at = found.line.At(t);
      if (!cv::Rect({0, 0}, known_.size()).contains(at)) continue;
      known += known_.at<std::uint8_t>(at) != 0 ? 1 : 0;
      if (found_.at<std::uint8_t>(at) == 0) pixels.push_back(at);
    }
    TellKnownAlong(found);
    if (IsFlank(found)) return;
    if (std::ssize(pixels) < params_.min_new_px) return;
    if (known > params_.max_known_share * found.line.length()) return;
    if (!joins_) lines_.paths.emplace_back();
    Draw(pixels);
    const LinePath path = Describe(found, pixels);
    lines_.paths.back() = joins_ ? Joined(lines_.paths.back(), path) : path;
    joins_ = true;
  }

  Lines Finish() && { return std::move(lines_); }

 private:
  /// How many pixels of a found line have each known one near, by its id.
  std::map<std::int32_t, int> KnownAlong(const StraightLine& line) const {
    std::map<std::int32_t, int> along;
    const cv::Rect all({0, 0}, known_.size());
    for (int t = line.begin; t <= line.end; ++t) {
      const cv::Point at = line.At(t);
      const int side = 2 * params_.known_px + 1;
      const cv::Rect box =
          cv::Rect(at.x - params_.known_px, at.y - params_.known_px, side, side) & all;
      std::set<std::int32_t> near;
      for (int y = box.y; y < box.br().y; ++y) {
        const auto* ids = lines_.ids.Row<std::int32_t>(y);
        near.insert(ids + box.x, ids + box.br().x);
      }
      for (const std::int32_t id : near) ++along[id];
    }
    along.erase(0);
    return along;
  }

  /// Says of the known lines that run along a found one what is known of that.
  void TellKnownAlong(const FoundLine& found) {
    if (!found.bare && !found.flanked) return;
    for (const auto& [id, pixels] : KnownAlong(found.line)) {
      LinePath& known = lines_.paths[static_cast<std::size_t>(id - 1)];
      if (found.bare && pixels >= params_.min_bare_px) known.bare = true;
      if (found.flanked && pixels >= params_.min_flanked_share * found.line.length()) {
        known.flanked = true;
      }
    }
  }

  /// Whether a line lies beside a known one, as a flank of it does.
  bool IsFlank(const FoundLine& found) const {
    if (!found.flanked || found.bare) return false;
    std::map<std::int32_t, int> beside;
    for (int t = found.line.begin; t <= found.line.end; ++t) {
      for (const std::int32_t id : KnownAcross(found.line, t)) ++beside[id];
    }
    const double enough = params_.min_flanked_share * found.line.length();
    return std::ranges::any_of(beside, [&](const auto& of) { return of.second >= enough; });
  }

  /// The known lines that are crossed on the way across a line to either side.
  std::set<std::int32_t> KnownAcross(const StraightLine& line, int along) const {
    std::set<std::int32_t> ids;
    for (int across = -params_.flank_px; across <= params_.flank_px; ++across) {
      const cv::Point at = line.At(along, across);
      if (!cv::Rect({0, 0}, known_.size()).contains(at)) continue;
      ids.insert(lines_.ids.Row<std::int32_t>(at.y)[at.x]);
    }
    ids.erase(0);
    return ids;
  }

  void BeginLine() {
    found_ |= drawn_;
    drawn_.setTo(0);
    joins_ = false;
  }

  /// Draws pixels of the last line.
  void Draw(const std::vector<cv::Point>& pixels) {
    const auto id = static_cast<std::int32_t>(lines_.paths.size());
    cv::Mat line(found_.size(), CV_8U, cv::Scalar(0)), wide;
    for (const cv::Point at : pixels) {
      lines_.ids.Row<std::int32_t>(at.y)[at.x] = id;
      line.at<std::uint8_t>(at) = 255;
    }
    cv::dilate(line, wide, Disc(params_.known_px));
    drawn_ |= wide;
    cv::dilate(line, line, Disc(1));
    AsMat(lines_.mask) |= line;
  }

  LinePath Describe(const FoundLine& found, const std::vector<cv::Point>& pixels) const {
    const cv::Rect box = cv::boundingRect(pixels);
    LinePath path{.box = {box.x, box.y, box.width, box.height},
                  .pixels = std::ssize(pixels),
                  .length = std::hypot(box.width, box.height),
                  .score = found.score,
                  .needed = found.needed,
                  .bare = found.bare,
                  .flanked = found.flanked};
    for (const cv::Point at : pixels) {
      const double energy =
          static_cast<double>(energy_.Row<std::int32_t>(at.y)[at.x]) / kEnergyUnit;
      path.peak = std::max(path.peak, energy);
      path.mean += energy / static_cast<double>(pixels.size());
    }
    return path;
  }

  /// Two parts of one line.
  static LinePath Joined(LinePath line, const LinePath& part) {
    const auto box = [](const Rectangle& of) { return cv::Rect(of.x, of.y, of.width, of.height); };
    const cv::Rect both = box(line.box) | box(part.box);
    const auto pixels = static_cast<double>(line.pixels + part.pixels);
    line.mean = (line.mean * static_cast<double>(line.pixels) +
                 part.mean * static_cast<double>(part.pixels)) /
                pixels;
    line.peak = std::max(line.peak, part.peak);
    line.pixels += part.pixels;
    line.box = {both.x, both.y, both.width, both.height};
    line.length = std::hypot(both.width, both.height);
    return line;
  }

  Lines lines_;
  const Plane& energy_;
  const AddedLineParams& params_;
  cv::Mat known_;       // CV_8U: around the lines that were there
  cv::Mat found_;       // CV_8U: around all but the one that is being added
  cv::Mat drawn_;       // CV_8U: around that one
  bool joins_ = false;  // whether a part of the line that is being added is there already
};

}  // namespace

std::vector<FoundLine> WithoutKnown(std::vector<FoundLine> found, const Lines& known, int near_px,
                                    double max_share) {
  cv::Mat near;
  cv::dilate(AsMat(known.ids) != 0, near, Disc(near_px));
  std::erase_if(found, [&](const FoundLine& line) { return ShareOn(line.line, near) > max_share; });
  return found;
}

std::vector<FoundLine> ApartFromSurer(std::vector<FoundLine> found, int near_px, double max_share,
                                      cv::Size object) {
  cv::Mat near = cv::Mat::zeros(object, CV_8U);
  std::erase_if(found, [&](const FoundLine& line) {
    if (ShareOn(line.line, near) > max_share) return true;
    cv::line(near, line.line.At(line.line.begin), line.line.At(line.line.end), 255,
             2 * near_px + 1);
    return false;
  });
  return found;
}

Lines AddFoundLines(Lines lines, const std::vector<FoundLine>& found, const Plane& energy,
                    const AddedLineParams& params) {
  LineAdder adder(std::move(lines), energy, params);
  for (const FoundLine& line : found) adder.Add(line);
  return std::move(adder).Finish();
}

}  // namespace glint::photometric
