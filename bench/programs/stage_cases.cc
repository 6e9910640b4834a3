// SPDX-License-Identifier: Apache-2.0
#include "bench/programs/stage_cases.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <opencv2/imgproc.hpp>
#include <opencv2/video/tracking.hpp>

#include "base/mat.h"
#include "glint/error.h"

namespace glint::bench {
namespace {

constexpr int kFrames = 4;
constexpr std::array kThresholds = {CannyThresholds{15, 60}, CannyThresholds{30, 100},
                                    CannyThresholds{50, 150}};
constexpr Homography kHomography{0.93, 0.11, 4.2, -0.07, 1.04, 1.7, 4e-5, -3e-5, 1.01};
const StructuringElement kElement{StructuringElement::Shape::kEllipse, {5, 5}};

absl::Status ExpectNear(std::string_view what, double value, double expected, double tolerance) {
  if (std::abs(value - expected) <= tolerance) return absl::OkStatus();
  return Error(Reason::kInternal, fmt::format("{} is {} instead of {}", what, value, expected));
}

// The largest difference of two pictures is at most `tolerance`.
absl::Status ExpectClose(Backend& backend, std::string_view what, const Plane& plane,
                         const cv::Mat& expected, double tolerance) {
  const auto host = backend.Download(plane);
  if (!host.ok()) return host.status();
  return ExpectNear(what, cv::norm(AsMat(*host), expected, cv::NORM_INF), 0, tolerance);
}

absl::StatusOr<std::vector<Plane>> Uploaded(Backend& backend, std::span<const Plane> planes) {
  std::vector<Plane> uploaded;
  for (const Plane& plane : planes) {
    auto there = backend.Upload(plane);
    if (!there.ok()) return there.status();
    uploaded.push_back(*std::move(there));
  }
  return uploaded;
}

/// Luma statistics ////////////////////////////////////////////////////////////////////////////////

double VarianceByOpenCv(const Plane& luma) {
  cv::Mat laplacian;
  cv::Scalar mean, deviation;
  cv::Laplacian(AsMat(luma), laplacian, CV_64F);
  cv::meanStdDev(laplacian, mean, deviation);
  return deviation[0] * deviation[0];
}

absl::StatusOr<Work> Statistics(Backend& backend, const Scene& scene) {
  auto made = backend.MakeLumaStatistics();
  auto luma = backend.Upload(scene.frames[0]);
  if (!made.ok()) return made.status();
  if (!luma.ok()) return luma.status();
  const std::shared_ptr<LumaStatisticsStage> stage = *std::move(made);
  LumaStatistics sums;
  if (auto status = stage->Run({&*luma, 1}, {&sums, 1}); !status.ok()) return status;
  const double expected = VarianceByOpenCv(scene.frames[0]);
  if (auto status = ExpectNear("the variance", sums.LaplacianVariance(), expected, 1e-9 * expected);
      !status.ok()) {
    return status;
  }
  return [stage, plane = *luma] {
    LumaStatistics out;
    return stage->Run({&plane, 1}, {&out, 1});
  };
}

void StatisticsByOpenCv(const Scene& scene) { VarianceByOpenCv(scene.frames[0]); }

/// Flow ///////////////////////////////////////////////////////////////////////////////////////////

double LengthByOpenCv(const Plane& previous, const Plane& next) {
  cv::Mat flow, parts[2], length;
  cv::calcOpticalFlowFarneback(AsMat(previous), AsMat(next), flow, 0.5, 3, 15, 3, 5, 1.2, 0);
  cv::split(flow, parts);
  cv::magnitude(parts[0], parts[1], length);
  return cv::mean(length)[0];
}

absl::StatusOr<Work> Flow(Backend& backend, const Scene& scene) {
  auto made = backend.MakeFlow();
  auto frames = Uploaded(backend, scene.frames);
  if (!made.ok()) return made.status();
  if (!frames.ok()) return frames.status();
  const std::shared_ptr<FlowStage> stage = *std::move(made);
  std::vector<double> lengths(frames->size() - 1);
  if (auto status = stage->MeanLengths(*frames, lengths); !status.ok()) return status;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const double expected = LengthByOpenCv(scene.frames[i], scene.frames[i + 1]);
    if (auto status = ExpectNear("the mean length", lengths[i], expected, 0.01); !status.ok()) {
      return status;
    }
  }
  return [stage, planes = *std::move(frames), lengths]() mutable {
    return stage->MeanLengths(planes, lengths);
  };
}

void FlowByOpenCv(const Scene& scene) {
  for (std::size_t i = 1; i < scene.frames.size(); ++i) {
    LengthByOpenCv(scene.frames[i - 1], scene.frames[i]);
  }
}

/// Edges //////////////////////////////////////////////////////////////////////////////////////////

cv::Mat EdgesByOpenCv(const Plane& luma, const CannyThresholds& thresholds) {
  cv::Mat edges;
  cv::Canny(AsMat(luma), edges, thresholds.low, thresholds.high, 3, false);
  return edges;
}

absl::StatusOr<Work> Edges(Backend& backend, const Scene& scene) {
  auto made = backend.MakeEdges();
  auto luma = backend.Upload(scene.frames[0]);
  if (!made.ok()) return made.status();
  if (!luma.ok()) return luma.status();
  const std::shared_ptr<EdgeStage> stage = *std::move(made);
  const auto edges = stage->Run(*luma, kThresholds);
  if (!edges.ok()) return edges.status();
  for (std::size_t i = 0; i < kThresholds.size(); ++i) {
    const cv::Mat expected = EdgesByOpenCv(scene.frames[0], kThresholds[i]);
    if (auto status = ExpectClose(backend, "an edge's difference", (*edges)[i], expected, 0);
        !status.ok()) {
      return status;
    }
  }
  return [stage, plane = *luma] { return stage->Run(plane, kThresholds).status(); };
}

void EdgesByOpenCv(const Scene& scene) {
  for (const CannyThresholds& thresholds : kThresholds) EdgesByOpenCv(scene.frames[0], thresholds);
}

/// Morphology /////////////////////////////////////////////////////////////////////////////////////

cv::Mat OpenedByOpenCv(const Plane& luma) {
  cv::Mat opened;
  cv::morphologyEx(AsMat(luma), opened, cv::MORPH_OPEN,
                   cv::getStructuringElement(cv::MORPH_ELLIPSE, {5, 5}));
  return opened;
}

absl::StatusOr<Work> Morphology(Backend& backend, const Scene& scene) {
  auto made = backend.MakeMorphology();
  auto luma = backend.Upload(scene.frames[0]);
  if (!made.ok()) return made.status();
  if (!luma.ok()) return luma.status();
  const std::shared_ptr<MorphologyStage> stage = *std::move(made);
  const auto opened = stage->Run(*luma, MorphologyOp::kOpen, kElement, 1);
  if (!opened.ok()) return opened.status();
  if (auto status = ExpectClose(backend, "the opening's difference", *opened,
                                OpenedByOpenCv(scene.frames[0]), 0);
      !status.ok()) {
    return status;
  }
  return [stage, plane = *luma] {
    return stage->Run(plane, MorphologyOp::kOpen, kElement, 1).status();
  };
}

void MorphologyByOpenCv(const Scene& scene) { OpenedByOpenCv(scene.frames[0]); }

/// Warp ///////////////////////////////////////////////////////////////////////////////////////////

cv::Mat WarpedByOpenCv(const Plane& colour) {
  cv::Mat warped;
  cv::warpPerspective(AsMat(colour), warped, cv::Matx33d(kHomography.data()),
                      {colour.width(), colour.height()}, cv::INTER_LINEAR | cv::WARP_INVERSE_MAP,
                      cv::BORDER_REPLICATE);
  return warped;
}

absl::StatusOr<Work> Warp(Backend& backend, const Scene& scene) {
  auto made = backend.MakeWarp();
  auto colour = backend.Upload(scene.colour);
  if (!made.ok()) return made.status();
  if (!colour.ok()) return colour.status();
  const std::shared_ptr<WarpStage> stage = *std::move(made);
  const Work work = [stage, plane = *colour] {
    return stage->Run(plane, kHomography, plane.size(), Interpolation::kLinear, std::nullopt)
        .status();
  };
  const auto warped =
      stage->Run(*colour, kHomography, scene.colour.size(), Interpolation::kLinear, std::nullopt);
  if (!warped.ok()) return warped.status();
  // OpenCV rounds positions to 1/32 px: in the steepest places that is some grey levels.
  if (auto status =
          ExpectClose(backend, "the warp's difference", *warped, WarpedByOpenCv(scene.colour), 8);
      !status.ok()) {
    return status;
  }
  return work;
}

void WarpByOpenCv(const Scene& scene) { WarpedByOpenCv(scene.colour); }

/// Detail /////////////////////////////////////////////////////////////////////////////////////////

struct DetailByOpenCv {
  cv::Mat laplacian, gradient, deviation;

  explicit DetailByOpenCv(const Plane& grey) {
    const cv::Mat source = AsMat(grey);
    cv::Mat gx, gy, values, mean, square_mean;
    cv::Laplacian(source, laplacian, CV_64F);
    laplacian = cv::abs(laplacian);
    cv::Sobel(source, gx, CV_64F, 1, 0);
    cv::Sobel(source, gy, CV_64F, 0, 1);
    cv::magnitude(gx, gy, gradient);
    source.convertTo(values, CV_64F);
    cv::blur(values, mean, {5, 5});
    cv::blur(values.mul(values), square_mean, {5, 5});
    cv::sqrt(cv::max(square_mean - mean.mul(mean), 0), deviation);
  }
};

absl::StatusOr<Work> Detail(Backend& backend, const Scene& scene) {
  auto made = backend.MakeDetail();
  auto grey = backend.Upload(scene.frames[0]);
  if (!made.ok()) return made.status();
  if (!grey.ok()) return grey.status();
  const std::shared_ptr<DetailStage> stage = *std::move(made);
  const auto maps = stage->Run(*grey);
  if (!maps.ok()) return maps.status();
  const DetailByOpenCv expected(scene.frames[0]);
  cv::Mat laplacian, gradient, variance;
  expected.laplacian.convertTo(laplacian, CV_32S);
  cv::Mat(expected.gradient.mul(expected.gradient)).convertTo(gradient, CV_32S);
  cv::Mat(625 * expected.deviation.mul(expected.deviation)).convertTo(variance, CV_32S);
  for (const auto& [plane, mat] : {std::pair{&maps->laplacian, &laplacian},
                                   {&maps->gradient, &gradient},
                                   {&maps->variance, &variance}}) {
    if (auto status = ExpectClose(backend, "a detail's difference", *plane, *mat, 0);
        !status.ok()) {
      return status;
    }
  }
  return [stage, plane = *grey] { return stage->Run(plane).status(); };
}

void TakeDetailByOpenCv(const Scene& scene) { DetailByOpenCv{scene.frames[0]}; }

/// Connected components ///////////////////////////////////////////////////////////////////////////

Plane MaskOf(const Scene& scene) { return AsPlane(AsMat(scene.frames[0]) > 150); }

struct ComponentsByOpenCv {
  cv::Mat labels, statistics, centres;

  explicit ComponentsByOpenCv(const Plane& mask) {
    cv::connectedComponentsWithStats(AsMat(mask), labels, statistics, centres, 8, CV_32S);
  }

  /// Labels with the numbers of first pixels in reading order.
  cv::Mat InReadingOrder() const {
    std::vector<int> number_of(static_cast<std::size_t>(statistics.rows), 0);
    int numbers = 0;
    cv::Mat numbered(labels.size(), CV_32S);
    for (int y = 0; y < labels.rows; ++y) {
      for (int x = 0; x < labels.cols; ++x) {
        const int label = labels.at<int>(y, x);
        int& number = number_of[static_cast<std::size_t>(label)];
        if (label != 0 && number == 0) number = ++numbers;
        numbered.at<int>(y, x) = number;
      }
    }
    return numbered;
  }
};

absl::StatusOr<Work> Components(Backend& backend, const Scene& scene) {
  auto made = backend.MakeConnectedComponents();
  auto mask = backend.Upload(MaskOf(scene));
  if (!made.ok()) return made.status();
  if (!mask.ok()) return mask.status();
  const std::shared_ptr<ConnectedComponentsStage> stage = *std::move(made);
  const auto found = stage->Run(*mask, Plane());
  if (!found.ok()) return found.status();
  if (auto status = ExpectClose(backend, "a component's number", found->labels,
                                ComponentsByOpenCv(MaskOf(scene)).InReadingOrder(), 0);
      !status.ok()) {
    return status;
  }
  return [stage, plane = *mask] { return stage->Run(plane, Plane()).status(); };
}

void FindComponentsByOpenCv(const Scene& scene) { ComponentsByOpenCv{MaskOf(scene)}; }

}  // namespace

Scene Scene::Make(std::string name, Size size) {
  cv::RNG random(1);
  cv::Mat noise(size.height, size.width, CV_8UC1);
  random.fill(noise, cv::RNG::UNIFORM, 0, 256);
  cv::Mat picture;
  cv::GaussianBlur(noise, picture, {0, 0}, 4);
  cv::normalize(picture, picture, 20, 235, cv::NORM_MINMAX);
  for (int i = 0; i < 200; ++i) {  // panels and lettering
    const cv::Rect rect(random.uniform(0, size.width), random.uniform(0, size.height),
                        random.uniform(4, 120), random.uniform(4, 40));
    cv::rectangle(picture, rect, random.uniform(0, 256), i % 2 ? cv::FILLED : 2);
  }
  Scene scene{.name = std::move(name), .frames = {}, .colour = {}};
  for (int i = 0; i < kFrames; ++i) {
    cv::Mat turn = cv::getRotationMatrix2D(cv::Point2f(0, 0), 0.05 * i, 1);
    turn.at<double>(0, 2) += 1.3 * i;
    turn.at<double>(1, 2) -= 0.7 * i;
    cv::Mat frame;
    cv::warpAffine(picture, frame, turn, picture.size(), cv::INTER_LINEAR, cv::BORDER_REFLECT_101);
    scene.frames.push_back(AsPlane(frame));
  }
  cv::Mat smooth, colour;
  cv::GaussianBlur(picture, smooth, {0, 0}, 2);
  cv::merge(std::vector<cv::Mat>{smooth, 255 - smooth, smooth}, colour);
  scene.colour = AsPlane(colour);
  return scene;
}

std::span<const StageCase> StageCases() {
  static constexpr std::array kCases = {
      StageCase{"LumaStatistics", &Statistics, &StatisticsByOpenCv},
      StageCase{"Flow", &Flow, &FlowByOpenCv},
      StageCase{"Edges", &Edges, &EdgesByOpenCv},
      StageCase{"Morphology", &Morphology, &MorphologyByOpenCv},
      StageCase{"Warp", &Warp, &WarpByOpenCv},
      StageCase{"Detail", &Detail, &TakeDetailByOpenCv},
      StageCase{"Components", &Components, &FindComponentsByOpenCv},
  };
  return kCases;
}

}  // namespace glint::bench
