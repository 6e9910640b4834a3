// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/lost_ink/paper_dashes.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "analyse/photometric/lost_ink/dash_model.h"
#include "analyse/photometric/print/whiteness.h"

namespace glint::photometric {
namespace {

/// The mean colour of pixels. Sums of integers: exact.
cv::Vec3d ColourOfPaper(const cv::Mat& colour, const cv::Mat& pixels) {
  std::array<std::int64_t, 3> sums{};
  std::int64_t count = 0;
  for (int y = 0; y < colour.rows; ++y) {
    for (int x = 0; x < colour.cols; ++x) {
      if (pixels.at<std::uint8_t>(y, x) == 0) continue;
      const auto& value = colour.at<cv::Vec3b>(y, x);
      for (std::size_t c = 0; c < 3; ++c) sums[c] += value[static_cast<int>(c)];
      ++count;
    }
  }
  const auto mean = [&](std::size_t c) {
    return static_cast<double>(sums[c]) / static_cast<double>(std::max<std::int64_t>(count, 1));
  };
  return {mean(0), mean(1), mean(2)};
}

/// Whether a dash is one for certain: as bright as its sides in every channel, these of one colour,
/// and little else as white around it.
bool IsPlain(const MeasuredDash& measured, const PlainDashParams& params) {
  const double length = measured.dash.length;
  return length >= params.min_length_px && measured.width <= params.max_width_px &&
         length >= params.min_elongation * measured.width &&
         measured.alone >= params.min_alone_share &&
         measured.least_gain >= -params.max_channel_drop &&
         measured.sides_differ <= params.max_side_colour_share * measured.most_gain &&
         measured.sharpness >= params.min_sharpness;
}

/// What dashes are looked for in.
class DashFinder {
 public:
  DashFinder(const cv::Mat& colour, const cv::Mat& surface, const PaperDashParams& params,
             ThreadPool& pool)
      : colour_(colour),
        surface_(surface),
        params_(params),
        whiteness_(WhitenessOf(colour)),
        ridges_(FindDashRidges(
            whiteness_, std::min(params.plain.pixels.min_grey, params.candidates.pixels.min_grey),
            params.ridges, pool)),
        paper_(WhitenessOfShare(params.paper_quantile, whiteness_, surface)),
        bare_(whiteness_ > paper_ - params.plain.pixels.min_ink_grey),
        ground_(WideBarePaper(bare_, params.measures)),
        paper_colour_(ColourOfPaper(colour, (whiteness_ >= paper_) & (surface != 0))) {}

  DashCandidates Candidates() const {
    DashCandidates candidates{.measured = Measure(params_.candidates.pixels), .features = {}};
    candidates.features = DescribeDashes(candidates.measured, whiteness_, paper_colour_);
    return candidates;
  }

  PaperDashes Run(ThreadPool& pool) const {
    PaperDashes found{
        .dashes = {},
        .bare = bare_,
        .dots = FindPaperDots(colour_, whiteness_, surface_, paper_, params_.dots, pool),
        .colour = paper_colour_,
        .whiteness = whiteness_};
    for (const MeasuredDash& measured : Measure(params_.plain.pixels)) {
      if (IsPlain(measured, params_.plain)) found.dashes.push_back(measured.dash);
    }
    const DashCandidates all = Candidates();
    for (std::size_t i = 0; i < all.measured.size(); ++i) {
      PaperDash dash = all.measured[i].dash;
      dash.evidence = DashEvidence(all.features[i]);
      if (dash.evidence >= params_.candidates.min_evidence) found.candidates.push_back(dash);
    }
    return found;
  }

 private:
  std::vector<MeasuredDash> Measure(const DashPixelParams& pixels) const {
    return MeasureDashes(FindDashPixels(whiteness_, surface_, ridges_, paper_, pixels), colour_,
                         whiteness_, ground_, ridges_, params_.measures);
  }

  const cv::Mat& colour_;
  const cv::Mat& surface_;
  const PaperDashParams& params_;
  cv::Mat whiteness_;  // CV_8U
  DashRidges ridges_;
  int paper_;       // how white it is
  cv::Mat bare_;    // CV_8U: where no ink can be lost
  cv::Mat ground_;  // CV_8U: WideBarePaper
  cv::Vec3d paper_colour_;
};

}  // namespace

DashCandidates FindDashCandidates(const cv::Mat& colour, const cv::Mat& surface,
                                  const PaperDashParams& params, ThreadPool& pool) {
  return DashFinder(colour, surface, params, pool).Candidates();
}

PaperDashes FindPaperDashes(const cv::Mat& colour, const cv::Mat& surface,
                            const PaperDashParams& params, ThreadPool& pool) {
  return DashFinder(colour, surface, params, pool).Run(pool);
}

}  // namespace glint::photometric
