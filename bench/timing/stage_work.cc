// SPDX-License-Identifier: Apache-2.0
#include "bench/timing/stage_work.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "base/status_macros.h"
#include "stages/shared/farneback/geometry.h"
#include "stages/shared/farneback/parameters.h"

namespace glint {
namespace {

constexpr std::array kThresholds = {CannyThresholds{15, 60}, CannyThresholds{30, 100},
                                    CannyThresholds{50, 150}};
constexpr Homography kHomography{0.93, 0.11, 4.2, -0.07, 1.04, 1.7, 4e-5, -3e-5, 1.01};
constexpr NoiseModel kNoise{.base = 0.7F, .gradient = 0.003F, .curvature = 0.001F};

Displacement NoDisplacement(Size picture) {
  const Size nodes = Displacement::NodesFor(picture);
  Displacement none{.x = Plane::Host(nodes, PixelType::kS16),
                    .y = Plane::Host(nodes, PixelType::kS16)};
  for (const Plane& plane : {none.x, none.y}) {
    for (int y = 0; y < nodes.height; ++y) std::fill_n(plane.Row<std::int16_t>(y), nodes.width, 0);
  }
  return none;
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
    GLINT_RETURN_IF_ERROR(UploadAll(scene_.frames, frames_));
    GLINT_RETURN_IF_ERROR(UploadAll(scene_.valid, valid_));
    GLINT_ASSIGN_OR_RETURN(surface_, backend_.Upload(scene_.surface));
    GLINT_RETURN_IF_ERROR(AddMeasures());
    GLINT_RETURN_IF_ERROR(AddClassic());
    return AddPhotometric();
  }

  std::vector<StageWork> list;

 private:
  absl::Status UploadAll(const std::vector<Plane>& planes, std::vector<Plane>& to) {
    for (const Plane& plane : planes) {
      GLINT_ASSIGN_OR_RETURN(to.emplace_back(), backend_.Upload(plane));
    }
    return absl::OkStatus();
  }

  void Add(std::string stage, int frames, double bytes, std::function<absl::Status()> run) {
    list.push_back({std::move(stage), frames, bytes, std::move(run)});
  }

  double Bytes(PerPixel per_pixel, int frames = 1) const {
    return (on_gpu_ ? per_pixel.on_gpu : per_pixel.on_cpu) * pixels_ * frames;
  }

  absl::Status AddMeasures() {
    GLINT_ASSIGN_OR_RETURN(const std::shared_ptr<LumaConversionStage> luma,
                           backend_.MakeLumaConversion());
    GLINT_ASSIGN_OR_RETURN(const std::shared_ptr<LumaStatisticsStage> statistics,
                           backend_.MakeLumaStatistics());
    GLINT_ASSIGN_OR_RETURN(const std::shared_ptr<FlowStage> flow, backend_.MakeFlow());
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
    return absl::OkStatus();
  }

  absl::Status AddClassic() {
    GLINT_ASSIGN_OR_RETURN(const std::shared_ptr<EdgeStage> edges, backend_.MakeEdges());
    GLINT_ASSIGN_OR_RETURN(const std::shared_ptr<MorphologyStage> morphology,
                           backend_.MakeMorphology());
    GLINT_ASSIGN_OR_RETURN(const std::shared_ptr<WarpStage> warp, backend_.MakeWarp());
    GLINT_ASSIGN_OR_RETURN(const std::shared_ptr<DetailStage> detail, backend_.MakeDetail());
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
    GLINT_ASSIGN_OR_RETURN(const std::shared_ptr<SheetWarpStage> sheet_warp,
                           backend_.MakeSheetWarp());
    Add("sheet warp", 1, Bytes(kWarp),
        [sheet_warp, frame, flat = NoDisplacement(scene_.size), size = scene_.size] {
          return sheet_warp->Run(frame, kHomography, flat, size).status();
        });
    Add("detail", 1, Bytes(kDetail), [detail, frame] { return detail->Run(frame).status(); });
    return AddFusion(*edges, *detail);
  }

  absl::Status AddFusion(EdgeStage& edges, DetailStage& detail) {
    GLINT_ASSIGN_OR_RETURN(const std::shared_ptr<ClassicFusionStage> fusion,
                           backend_.MakeClassicFusion());
    GLINT_ASSIGN_OR_RETURN(const std::shared_ptr<ConnectedComponentsStage> components,
                           backend_.MakeConnectedComponents());
    std::vector<ClassicEvidence> evidence(2);
    for (std::size_t i = 0; i < evidence.size(); ++i) {
      GLINT_ASSIGN_OR_RETURN(std::vector<Plane> maps, edges.Run(frames_[i], kThresholds));
      GLINT_ASSIGN_OR_RETURN(evidence[i].detail, detail.Run(frames_[i]));
      std::ranges::move(maps, evidence[i].edges.begin());
    }
    const std::vector<Plane> greys{frames_[0], frames_[1]};
    GLINT_ASSIGN_OR_RETURN(const Plane score, fusion->Score(evidence, greys, {}));
    GLINT_ASSIGN_OR_RETURN(const Plane mask, fusion->Mask(score, 0.3));
    Add("components", 1, Bytes(kComponents),
        [components, mask, score] { return components->Run(mask, score).status(); });
    Add("fusion", 2, 0, [fusion, evidence, greys]() -> absl::Status {
      GLINT_ASSIGN_OR_RETURN(const Plane fused, fusion->Score(evidence, greys, {}));
      return fusion->Mask(fused, 1.5).status();
    });
    return absl::OkStatus();
  }

  absl::Status AddPhotometric() {
    GLINT_ASSIGN_OR_RETURN(const std::shared_ptr<AlbedoStage> albedos, backend_.MakeAlbedo());
    GLINT_ASSIGN_OR_RETURN(const std::shared_ptr<ResidualStage> residual, backend_.MakeResidual());
    GLINT_ASSIGN_OR_RETURN(const std::shared_ptr<LineEvidenceStage> lines,
                           backend_.MakeLineEvidence());
    GLINT_ASSIGN_OR_RETURN(const std::shared_ptr<RidgeStage> ridge, backend_.MakeRidge());
    const auto views = [frames = frames_, valid = valid_, surface = surface_](const auto& work) {
      return work(PhotometricViews{.greys = frames, .valid = valid, .surface = surface});
    };
    GLINT_ASSIGN_OR_RETURN(const Albedo albedo,
                           views([&](const PhotometricViews& v) { return albedos->Run(v); }));
    GLINT_ASSIGN_OR_RETURN(
        const std::vector<StoredPlane> residuals,
        views([&](const PhotometricViews& v) { return residual->Run(v, albedo, {}); }));
    GLINT_ASSIGN_OR_RETURN(const LineEvidence evidence, views([&](const PhotometricViews& v) {
                             return lines->Run(v, residuals, albedo, kNoise, {});
                           }));
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
    return absl::OkStatus();
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
  GLINT_RETURN_IF_ERROR(works.AddAll());
  return std::move(works.list);
}

}  // namespace glint
