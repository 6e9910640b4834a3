// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/lost_ink/dash_features.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <opencv2/imgproc.hpp>

#include "base/rounding.h"

namespace glint::photometric {
namespace {

/// Places along a dash at which its profile is taken, in halves of its length; beyond the ends in
/// steps of kBeyondPx.
constexpr std::array kAlong = {-1.6, -1.25, -1.0, -0.6, -0.3, 0.0, 0.3, 0.6, 1.0, 1.25, 1.6};
constexpr double kBeyondPx = 8;
constexpr std::size_t kFirstOnDash = 3, kLastOnDash = 7;  // of kAlong
/// px across, to either side, as far as which it goes; and as far as which it tells something.
constexpr int kAcross = 9, kNear = 4;
constexpr int kBase = 4, kBaseEnd = 5;  // px across, between which its sides are
constexpr double kLeastContrast = 4;    // grey

/// Windows, px, over which the print's gradient is averaged.
constexpr std::array kWindows = {15, 41, 81};
constexpr std::array kAround = {30.0, 60.0};  // px, where other dashes are counted
constexpr double kAlike = 0.94;               // the least cosine of the turn between two, then

/// Values across a dash at each place of kAlong.
using Patch = std::array<std::array<double, 2 * kAcross + 1>, kAlong.size()>;

/// A place between pixels, which repeat beyond the borders.
double ValueAt(const cv::Mat& image, double x, double y) {
  const double left = std::floor(x), top = std::floor(y);
  const auto at = [&](int dx, int dy) {
    const int column = std::clamp(static_cast<int>(left) + dx, 0, image.cols - 1);
    const int row = std::clamp(static_cast<int>(top) + dy, 0, image.rows - 1);
    return static_cast<double>(image.at<std::uint8_t>(row, column));
  };
  const double u = x - left, v = y - top;
  return (1 - v) * ((1 - u) * at(0, 0) + u * at(1, 0)) + v * ((1 - u) * at(0, 1) + u * at(1, 1));
}

Patch PatchOf(const PaperDash& dash, const cv::Mat& whiteness) {
  Patch patch{};
  for (std::size_t place = 0; place < kAlong.size(); ++place) {
    const double u = kAlong[place], half = dash.length / 2;
    const double along =
        std::abs(u) <= 1 ? u * half : std::copysign(half + (std::abs(u) - 1) * kBeyondPx, u);
    for (int across = -kAcross; across <= kAcross; ++across) {
      *std::next(patch[place].begin(), kAcross + across) =
          ValueAt(whiteness, dash.x + along * dash.cosine - across * dash.sine,
                  dash.y + along * dash.sine + across * dash.cosine);
    }
  }
  return patch;
}

/// How a dash stands out of what lies around it, all of it over its contrast.
class Profile {
 public:
  Profile(const PaperDash& dash, const cv::Mat& whiteness) : patch_(PatchOf(dash, whiteness)) {
    base_ = (OnDash(kBase) + OnDash(-kBase) + OnDash(kBaseEnd) + OnDash(-kBaseEnd)) / 4;
    contrast_ = std::max(OnDash(0) - base_, kLeastContrast);
  }

  double contrast() const { return contrast_; }

  /// So far across, on average along it.
  double Beside(int across) const { return (OnDash(across) - base_) / contrast_; }

  /// On its line beyond an end. @param place  of kAlong
  double Beyond(std::size_t place) const { return (patch_[place][kAcross] - base_) / contrast_; }

  /// The deviation of all that was looked at.
  double Texture() const {
    double sum = 0, squares = 0;
    for (const auto& row : patch_) {
      for (const double value : row) {
        sum += value;
        squares += value * value;
      }
    }
    constexpr double kCount = kAlong.size() * (2 * kAcross + 1);
    return std::sqrt(std::max(squares / kCount - sum * sum / kCount / kCount, 0.0)) / contrast_;
  }

 private:
  double OnDash(int across) const {
    double sum = 0;
    for (std::size_t place = kFirstOnDash; place <= kLastOnDash; ++place) {
      sum += *std::next(patch_[place].begin(), kAcross + across);
    }
    return sum / (kLastOnDash - kFirstOnDash + 1);
  }

  Patch patch_;
  double base_ = 0, contrast_ = 0;
};

/// The mean gradient of the print around a place.
class PrintAround {
 public:
  explicit PrintAround(const cv::Mat& whiteness) {
    cv::Mat gradient(whiteness.size(), CV_8U, cv::Scalar(0));
    for (int y = 1; y < whiteness.rows - 1; ++y) {
      for (int x = 1; x < whiteness.cols - 1; ++x) {
        const auto at = [&](int dx, int dy) { return whiteness.at<std::uint8_t>(y + dy, x + dx); };
        const int across = std::abs(at(1, 0) - at(-1, 0)), down = std::abs(at(0, 1) - at(0, -1));
        gradient.at<std::uint8_t>(y, x) = static_cast<std::uint8_t>((across + down) / 2);
      }
    }
    cv::integral(gradient, sums_, CV_32S);
  }

  double Mean(const PaperDash& dash, int window) const {
    const cv::Point middle(RoundToInt(dash.x), RoundToInt(dash.y));
    const cv::Rect box = cv::Rect(middle.x - window / 2, middle.y - window / 2, window, window) &
                         cv::Rect(0, 0, sums_.cols - 1, sums_.rows - 1);
    if (box.empty()) return 0;
    const auto at = [&](int x, int y) { return std::int64_t{sums_.at<std::int32_t>(y, x)}; };
    const std::int64_t sum = at(box.br().x, box.br().y) - at(box.x, box.br().y) -
                             at(box.br().x, box.y) + at(box.x, box.y);
    return static_cast<double>(sum) / box.area();
  }

 private:
  cv::Mat sums_;  // CV_32S
};

/// How many dashes lie around one, itself included: within each of kAround, and within the last
/// those that run as it does.
std::array<double, kAround.size() + 1> CountAround(const PaperDash& dash,
                                                   std::span<const MeasuredDash> all) {
  std::array<double, kAround.size() + 1> counts{};
  for (const MeasuredDash& other : all) {
    const double dx = other.dash.x - dash.x, dy = other.dash.y - dash.y;
    const double away = dx * dx + dy * dy;
    for (std::size_t i = 0; i < kAround.size(); ++i) counts[i] += away < kAround[i] * kAround[i];
    const double turn = dash.cosine * other.dash.cosine + dash.sine * other.dash.sine;
    counts.back() += away < kAround.back() * kAround.back() && std::abs(turn) > kAlike;
  }
  return counts;
}

/// Appends numbers to features.
class Writer {
 public:
  explicit Writer(DashFeatures& features) : features_(features) {}
  void operator()(double value) { features_[at_++] = static_cast<float>(value); }
  /// Of two that are alike, first the larger one.
  void Both(double one, double other) {
    (*this)(std::max(one, other));
    (*this)(std::min(one, other));
  }

 private:
  DashFeatures& features_;
  std::size_t at_ = 0;
};

/// What was measured where the dash was found.
void AddMeasures(const MeasuredDash& measured, Writer& add) {
  const PaperDash& dash = measured.dash;
  add(dash.contrast);
  add(dash.length);
  add(measured.width);
  add(measured.pixels);
  add(measured.alone);
  add(measured.least_gain);
  add(measured.most_gain);
  add(measured.sides_differ);
  add(measured.sides_differ / std::max(measured.most_gain, 5.0));
  add(measured.sharpness);
}

/// How far ink is gone: what a dash gains, against the way from its sides' colour to paper.
void AddLoss(const MeasuredDash& measured, const cv::Vec3d& paper, Writer& add) {
  const PaperDash& dash = measured.dash;
  const cv::Vec3d way = paper - dash.ink;
  const double far = cv::norm(way), gain = cv::norm(dash.gain);
  const double along = dash.gain.dot(way);
  add(along / (far * gain + 1e-9));
  add(along / (far * far + 1e-9));
  add(far);
  const cv::Vec3d own = dash.ink + dash.gain;
  add((own[0] + own[1] + own[2]) / std::max(paper[0] + paper[1] + paper[2], 1.0));
}

/// Where it lies: from the nearest side of the object, and how straight it runs inwards.
void AddPlace(const PaperDash& dash, cv::Size object, Writer& add) {
  constexpr double kFar = 100;  // px: further is no nearer to the rim
  const double x = std::min(dash.x, object.width - 1 - dash.x);
  const double y = std::min(dash.y, object.height - 1 - dash.y);
  add(std::min({x, y, kFar}));
  add(std::abs(x <= y ? dash.cosine : dash.sine));
}

void AddProfile(const Profile& profile, Writer& add) {
  for (int across = 1; across <= kNear; ++across) {
    add.Both(profile.Beside(-across), profile.Beside(across));
  }
  constexpr std::size_t kLast = kAlong.size() - 1;
  add.Both(profile.Beyond(1), profile.Beyond(kLast - 1));
  add.Both(profile.Beyond(0), profile.Beyond(kLast));
  add(profile.Texture());
}

}  // namespace

std::vector<DashFeatures> DescribeDashes(std::span<const MeasuredDash> dashes,
                                         const cv::Mat& whiteness, const cv::Vec3d& paper) {
  const PrintAround print(whiteness);
  std::vector<DashFeatures> all;
  all.reserve(dashes.size());
  for (const MeasuredDash& measured : dashes) {
    DashFeatures features{};
    Writer add(features);
    AddMeasures(measured, add);
    AddLoss(measured, paper, add);
    AddPlace(measured.dash, whiteness.size(), add);
    const Profile profile(measured.dash, whiteness);
    AddProfile(profile, add);
    for (const int window : kWindows) add(print.Mean(measured.dash, window));
    add(print.Mean(measured.dash, kWindows[0]) / profile.contrast());
    for (const double count : CountAround(measured.dash, dashes)) add(count);
    all.push_back(features);
  }
  return all;
}

}  // namespace glint::photometric
