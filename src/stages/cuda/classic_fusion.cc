// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <vector>

#include "base/params.h"
#include "stages/cuda/kernels/classic.h"
#include "stages/cuda/stages.h"
#include "stages/shared/check_evidence.h"
#include "stages/shared/check_plane.h"

namespace glint::cuda {
namespace {

constexpr std::size_t kMaxima = FusionMaximaKernel::kMaxima;

std::vector<FusionPicture> PicturesOf(std::span<const ClassicEvidence> evidence,
                                      std::span<const Plane> greys) {
  std::vector<FusionPicture> pictures;
  for (std::size_t i = 0; i < greys.size(); ++i) {
    const auto& [edges, detail] = evidence[i];
    pictures.push_back(
        {.grey = ImageOf<const std::uint8_t>(greys[i]),
         .edges = {ImageOf<const std::uint8_t>(edges[0]), ImageOf<const std::uint8_t>(edges[1]),
                   ImageOf<const std::uint8_t>(edges[2])},
         .laplacian = ImageOf<const std::int32_t>(detail.laplacian),
         .gradient = ImageOf<const std::int32_t>(detail.gradient),
         .variance = ImageOf<const std::int32_t>(detail.variance),
         .weights = {}});
  }
  return pictures;
}

class GpuClassicFusion final : public GpuStage<ClassicFusionStage> {
 public:
  using GpuStage::GpuStage;

  absl::StatusOr<Plane> Score(std::span<const ClassicEvidence> evidence,
                              std::span<const Plane> greys,
                              const ClassicFusionParams& params) override {
    GLINT_RETURN_IF_ERROR(CheckParams(params));
    GLINT_RETURN_IF_ERROR(CheckEvidence(evidence, greys, context_->device()));
    std::vector<FusionPicture> pictures = PicturesOf(evidence, greys);
    const auto count = static_cast<int>(pictures.size());
    const std::int64_t tiles = Tiles(greys[0].width(), greys[0].height());
    std::vector<std::int32_t> maxima(pictures.size() * kMaxima + 1);
    Plane score;
    Block table, largest;
    GLINT_ASSIGN_OR_RETURN(score, context_->NewPlane(greys[0].size(), PixelType::kS32));
    GLINT_ASSIGN_OR_RETURN(table, context_->Allocate<FusionPicture>(pictures.size()));
    GLINT_ASSIGN_OR_RETURN(largest, context_->Allocate<std::int32_t>(maxima.size()));
    const auto* on_gpu = ValuesOf<const FusionPicture>(table);
    GLINT_RETURN_IF_ERROR(Finish(*context_, [&]() -> absl::Status {
      GLINT_RETURN_IF_ERROR(context_->CopyIn(table, std::span<const FusionPicture>(pictures)));
      GLINT_RETURN_IF_ERROR(context_->Clear<std::int32_t>(largest, maxima.size()));
      GLINT_RETURN_IF_ERROR(
          context_->stream().Run(FusionMaximaKernel{.pictures = on_gpu,
                                                    .count = count,
                                                    .params = params,
                                                    .maxima = ValuesOf<std::int32_t>(largest)},
                                 {.x = tiles, .y = count + 1}));
      return context_->CopyOut(std::span(maxima), largest);
    }));
    // The weights are divisions of a few numbers: made here, as on the CPU.
    for (std::size_t i = 0; i < pictures.size(); ++i) {
      const std::int32_t* of = &maxima[i * kMaxima];
      pictures[i].weights = classic::WeightsFor(
          params, {.edges = of[0], .laplacian = of[1], .gradient = of[2], .variance = of[3]});
    }
    const FusionScoreKernel kernel{
        .pictures = on_gpu,
        .count = count,
        .params = params,
        .temporal_weights = classic::TemporalWeightsFor(params, maxima.back()),
        .score = ImageOf<std::int32_t>(score)};
    GLINT_RETURN_IF_ERROR(Finish(*context_, [&]() -> absl::Status {
      GLINT_RETURN_IF_ERROR(context_->CopyIn(table, std::span<const FusionPicture>(pictures)));
      return context_->stream().Run(kernel, {.x = tiles});
    }));
    return score;
  }

  absl::StatusOr<Plane> Mask(const Plane& score, double deviations) override {
    GLINT_RETURN_IF_ERROR(CheckPlane("fusion: score", score, PixelType::kS32, context_->device()));
    std::array<std::uint64_t, ScoreSumsKernel::kSums> sums{};
    Plane mask;
    Block totals;
    GLINT_ASSIGN_OR_RETURN(mask, context_->NewPlane(score.size(), PixelType::kU8));
    GLINT_ASSIGN_OR_RETURN(totals, context_->Allocate<std::uint64_t>(sums.size()));
    GLINT_RETURN_IF_ERROR(Finish(*context_, [&]() -> absl::Status {
      GLINT_RETURN_IF_ERROR(context_->Clear<std::uint64_t>(totals, sums.size()));
      GLINT_RETURN_IF_ERROR(
          context_->stream().Run(ScoreSumsKernel{.score = ImageOf<const std::int32_t>(score),
                                                 .sums = ValuesOf<std::uint64_t>(totals)},
                                 {.x = Tiles(score.width(), score.height())}));
      return context_->CopyOut(std::span<std::uint64_t>(sums), totals);
    }));
    const classic::Int128 square_sum =
        (classic::Int128{sums[1]} << ScoreSumsKernel::kPartBits) + sums[2];
    const std::int64_t threshold =
        classic::MaskThreshold({.pixels = score.size().area(),
                                .sum = static_cast<std::int64_t>(sums[0]),
                                .square_sum = square_sum},
                               deviations);
    // Scores are 0..2^kScoreBits, so a threshold beyond marks all or nothing just the same.
    const ScoreMaskKernel kernel{.score = ImageOf<const std::int32_t>(score),
                                 .limit = static_cast<std::int32_t>(std::clamp<std::int64_t>(
                                     threshold, -1, std::int64_t{1} << kScoreBits)),
                                 .mask = ImageOf<std::uint8_t>(mask)};
    GLINT_RETURN_IF_ERROR(FinishPerPixel(*context_, kernel, score.size()));
    return mask;
  }
};

}  // namespace

GLINT_DEFINE_GPU_STAGE(ClassicFusion, GpuClassicFusion)

}  // namespace glint::cuda
