// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/stage_work.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "stages/cpu/farneback/geometry.h"
#include "stages/cpu/farneback/parameters.h"

namespace glint {
namespace {

constexpr std::array kThresholds = {CannyThresholds{15, 60}, CannyThresholds{30, 100},
                                    CannyThresholds{50, 150}};
constexpr Homography kHomography{0.93, 0.11, 4.2, -0.07, 1.04, 1.7, 4e-5, -3e-5, 1.01};
constexpr NoiseModel kNoise{.base = 0.7F, .gradient = 0.003F, .curvature = 0.001F};

template <class T>
absl::Status Take(absl::StatusOr<T> made, T& place) {
  if (!made.ok()) return made.status();
  place = *std::move(made);
  return absl::OkStatus();
}

/// Bytes per pixel of a frame in stages whose passes are the same for every size.
struct PerPixel {
  double on_cpu;
  double on_gpu;
};
constexpr PerPixel kLuma{2, 2};
constexpr PerPixel kStatistics{1, 1};
// Per pair of thresholds: classes 1 + 6, joining 4, reaching 1, writing 5 + 1.
constexpr PerPixel kEdges{4, 3 * 18};
constexpr PerPixel kClosing{2, 4};
constexpr PerPixel kWarp{2, 2};
constexpr PerPixel kDetail{13, 13};
// With values. Runs 1 + 4, joining 1 + 4, counting 4 + 4, numbering 8, writing 8 + 4.
constexpr PerPixel kComponents{9, 38};

/// Gathers the works of one backend.
class Works {
 public:
  Works(Backend& backend, const BenchScene& scene)
      : backend_(backend),
        scene_(scene),
        on_gpu_(!backend.device().is_host()),
        count_(static_cast<int>(scene.frames.size())),
        pixels_(static_cast<double>(scene.size.area())) {}

  absl::Status AddAll() {
    absl::Status status = UploadAll(scene_.frames, frames_);
    if (status.ok()) status = UploadAll(scene_.valid, valid_);
    if (status.ok()) status = Take(backend_.Upload(scene_.surface), surface_);
    if (status.ok()) status = AddMeasures();
    if (status.ok()) status = AddClassic();
    if (status.ok()) status = AddPhotometric();
    return status;
  }

  std::vector<StageWork> list;

 private:
  absl::Status UploadAll(const std::vector<Plane>& planes, std::vector<Plane>& to) {
    for (const Plane& plane : planes) {
      absl::Status status = Take(backend_.Upload(plane), to.emplace_back());
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  void Add(std::string stage, int frames, double bytes, std::function<absl::Status()> run) {
    list.push_back({std::move(stage), frames, bytes, std::move(run)});
  }

  double Bytes(PerPixel per_pixel, int frames = 1) const {
    return (on_gpu_ ? per_pixel.on_gpu : per_pixel.on_cpu) * pixels_ * frames;
  }

  /// Makes a stage; the work keeps it.
  template <class Stage>
  absl::Status Make(absl::StatusOr<std::unique_ptr<Stage>> made, std::shared_ptr<Stage>& stage) {
    if (!made.ok()) return made.status();
    stage = *std::move(made);
    return absl::OkStatus();
  }

  absl::Status AddMeasures() {
    std::shared_ptr<LumaConversionStage> luma;
    std::shared_ptr<LumaStatisticsStage> statistics;
    std::shared_ptr<FlowStage> flow;
    absl::Status status = Make(backend_.MakeLumaConversion(), luma);
    status.Update(Make(backend_.MakeLumaStatistics(), statistics));
    status.Update(Make(backend_.MakeFlow(), flow));
    if (!status.ok()) return status;
    Add("luma", count_, Bytes(kLuma, count_),
        [luma, frames = frames_] { return luma->Run(frames, {}).status(); });
    Add("statistics", count_, Bytes(kStatistics, count_), [statistics, frames = frames_] {
      std::vector<LumaStatistics> sums(frames.size());
      return statistics->Run(frames, sums);
    });
    const int pairs = count_ - 1;
    const double bytes = on_gpu_ ? FlowBytesOnGpu(scene_.size) * pairs : pixels_ * count_;
    Add("flow", pairs, bytes, [flow, frames = frames_] {
      std::vector<double> lengths(frames.size() - 1);
      return flow->MeanLengths(frames, lengths);
    });
    return status;
  }

  absl::Status AddClassic() {
    std::shared_ptr<EdgeStage> edges;
    std::shared_ptr<MorphologyStage> morphology;
    std::shared_ptr<WarpStage> warp;
    std::shared_ptr<DetailStage> detail;
    absl::Status status = Make(backend_.MakeEdges(), edges);
    status.Update(Make(backend_.MakeMorphology(), morphology));
    status.Update(Make(backend_.MakeWarp(), warp));
    status.Update(Make(backend_.MakeDetail(), detail));
    if (!status.ok()) return status;
    const Plane frame = frames_[0];
    Add("edges", 1, Bytes(kEdges),
        [edges, frame] { return edges->Run(frame, kThresholds).status(); });
    const StructuringElement small{.shape = StructuringElement::Shape::kEllipse, .size = {5, 5}};
    const StructuringElement large{.size = {31, 31}};
    Add("closing 5x5", 1, Bytes(kClosing), [morphology, frame, small] {
      return morphology->Run(frame, MorphologyOp::kClose, small, 1).status();
    });
    Add("closing 31x31", 1, Bytes(kClosing) * (on_gpu_ ? 2 : 1), [morphology, frame, large] {
      return morphology->Run(frame, MorphologyOp::kClose, large, 1).status();
    });
    Add("warp", 1, Bytes(kWarp), [warp, frame, size = scene_.size] {
      return warp->Run(frame, kHomography, size, Interpolation::kLinear, std::nullopt).status();
    });
    Add("detail", 1, Bytes(kDetail), [detail, frame] { return detail->Run(frame).status(); });
    return AddFusion(*edges, *detail);
  }

  absl::Status AddFusion(EdgeStage& edges, DetailStage& detail) {
    std::shared_ptr<ClassicFusionStage> fusion;
    std::shared_ptr<ConnectedComponentsStage> components;
    absl::Status status = Make(backend_.MakeClassicFusion(), fusion);
    status.Update(Make(backend_.MakeConnectedComponents(), components));
    std::vector<ClassicEvidence> evidence(2);
    for (std::size_t i = 0; status.ok() && i < evidence.size(); ++i) {
      std::vector<Plane> maps;
      status = Take(edges.Run(frames_[i], kThresholds), maps);
      if (status.ok()) status = Take(detail.Run(frames_[i]), evidence[i].detail);
      if (status.ok()) std::ranges::move(maps, evidence[i].edges.begin());
    }
    const std::vector<Plane> greys{frames_[0], frames_[1]};
    Plane score, mask;
    if (status.ok()) status = Take(fusion->Score(evidence, greys, {}), score);
    if (status.ok()) status = Take(fusion->Mask(score, 0.3), mask);
    if (!status.ok()) return status;
    Add("components", 1, Bytes(kComponents),
        [components, mask, score] { return components->Run(mask, score).status(); });
    Add("fusion", 2, 0, [fusion, evidence, greys]() -> absl::Status {
      const auto fused = fusion->Score(evidence, greys, {});
      return fused.ok() ? fusion->Mask(*fused, 1.5).status() : fused.status();
    });
    return status;
  }

  absl::Status AddPhotometric() {
    std::shared_ptr<AlbedoStage> albedos;
    std::shared_ptr<ResidualStage> residual;
    std::shared_ptr<LineEvidenceStage> lines;
    std::shared_ptr<RidgeStage> ridge;
    absl::Status status = Make(backend_.MakeAlbedo(), albedos);
    status.Update(Make(backend_.MakeResidual(), residual));
    status.Update(Make(backend_.MakeLineEvidence(), lines));
    status.Update(Make(backend_.MakeRidge(), ridge));
    const auto views = [frames = frames_, valid = valid_, surface = surface_](const auto& work) {
      return work(PhotometricViews{.greys = frames, .valid = valid, .surface = surface});
    };
    Albedo albedo;
    std::vector<Plane> residuals;
    LineEvidence evidence;
    if (status.ok()) {
      status = views([&](const PhotometricViews& v) { return Take(albedos->Run(v), albedo); });
    }
    if (status.ok()) {
      status = views(
          [&](const PhotometricViews& v) { return Take(residual->Run(v, albedo, {}), residuals); });
    }
    if (status.ok()) {
      status = views([&](const PhotometricViews& v) {
        return Take(lines->Run(v, residuals, albedo, kNoise, {}), evidence);
      });
    }
    if (!status.ok()) return status;
    Add("artwork", count_, 0,
        [=] { return views([&](const PhotometricViews& v) { return albedos->Run(v).status(); }); });
    Add("residual", count_, 0, [=] {
      return views(
          [&](const PhotometricViews& v) { return residual->Run(v, albedo, {}).status(); });
    });
    Add("lines", count_, 0, [=] {
      return views([&](const PhotometricViews& v) {
        return lines->Run(v, residuals, albedo, kNoise, {}).status();
      });
    });
    Add("ridges", 1, 0, [=] { return ridge->Run(evidence, 40, 20, {}).status(); });
    return status;
  }

  Backend& backend_;
  const BenchScene& scene_;
  const bool on_gpu_;
  const int count_;
  const double pixels_;
  std::vector<Plane> frames_, valid_;
  Plane surface_;
};

}  // namespace

double FlowBytesOnGpu(Size size) {
  constexpr double kFloat = sizeof(float);
  constexpr double kExpansion = kFloat * farneback::kCoefficients, kVector = 2 * kFloat;
  const farneback::Geometry geometry(size);
  const auto frame = static_cast<double>(size.area());
  double bytes = 0;
  for (const farneback::LevelGeometry& level : geometry.levels) {
    const bool finest = &level == &geometry.levels.front();
    const auto pixels = static_cast<double>(level.size.area());
    if (!finest) bytes += frame + pixels * kFloat;                              // reduce
    bytes += pixels * ((finest ? 1 : kFloat) + kExpansion);                     // expand
    bytes += pixels * farneback::kIterations * (2 * kExpansion + 2 * kVector);  // iterate
  }
  return bytes;
}

absl::StatusOr<std::vector<StageWork>> StageWorks(Backend& backend, const BenchScene& scene) {
  Works works(backend, scene);
  if (absl::Status status = works.AddAll(); !status.ok()) return status;
  return std::move(works.list);
}

}  // namespace glint
