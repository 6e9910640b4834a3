// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <vector>

#include "base/for_rows.h"
#include "base/host_call.h"
#include "base/params.h"
#include "base/status_macros.h"
#include "stages/cpu/stages.h"
#include "stages/shared/check_evidence.h"
#include "stages/shared/check_plane.h"
#include "stages/shared/classic_arithmetic.h"

namespace glint {
namespace {

using classic::Maxima;
using classic::ScoreSums;
using classic::Weights;

constexpr int kBandRows = 32;  // one task

std::size_t Bands(Size size) {
  return static_cast<std::size_t>((size.height + kBandRows - 1) / kBandRows);
}

std::size_t BandOf(Rows rows) { return static_cast<std::size_t>(rows.begin / kBandRows); }

/// One row of one picture's evidence.
struct EvidenceRow {
  EvidenceRow(const ClassicEvidence& evidence, int y)
      : edges0(evidence.edges[0].Row<std::uint8_t>(y)),
        edges1(evidence.edges[1].Row<std::uint8_t>(y)),
        edges2(evidence.edges[2].Row<std::uint8_t>(y)),
        laplacian(evidence.detail.laplacian.Row<std::int32_t>(y)),
        gradient(evidence.detail.gradient.Row<std::int32_t>(y)),
        variance(evidence.detail.variance.Row<std::int32_t>(y)) {}

  const std::uint8_t* edges0;
  const std::uint8_t* edges1;
  const std::uint8_t* edges2;
  const std::int32_t* laplacian;
  const std::int32_t* gradient;
  const std::int32_t* variance;
};

std::int32_t Largest(const std::int32_t* values, int count) {
  std::int32_t largest = 0;
  for (int i = 0; i < count; ++i) largest = std::max(largest, values[i]);
  return largest;
}

void Include(const EvidenceRow& row, const ClassicFusionParams& params, int width, Maxima& maxima) {
  std::int32_t edges = 0;
  for (int x = 0; x < width; ++x) {
    edges =
        std::max(edges, classic::EdgeWeight(params, row.edges0[x], row.edges1[x], row.edges2[x]));
  }
  maxima.edges = std::max(maxima.edges, edges);
  maxima.laplacian = std::max(maxima.laplacian, Largest(row.laplacian, width));
  maxima.gradient = std::max(maxima.gradient, Largest(row.gradient, width));
  maxima.variance = std::max(maxima.variance, Largest(row.variance, width));
}

void RaiseToScore(const EvidenceRow& row, const ClassicFusionParams& params, const Weights& weights,
                  int width, float* __restrict best) {
  for (int x = 0; x < width; ++x) {
    const float score = classic::PictureScore(
        weights, classic::EdgeWeight(params, row.edges0[x], row.edges1[x], row.edges2[x]),
        row.laplacian[x], row.gradient[x], row.variance[x]);
    best[x] = best[x] < score ? score : best[x];
  }
}

void AddTemporal(const std::int32_t* variance, const classic::TemporalWeights& weights,
                 std::vector<float>& best) {
  for (std::size_t x = 0; x < best.size(); ++x) {
    best[x] = classic::WithTemporal(best[x], weights, variance[x]);
  }
}

/// Temporal variance of one row over all pictures, with the sums that it is made of.
class TemporalRow {
 public:
  explicit TemporalRow(int width)
      : sums_(static_cast<std::size_t>(width)),
        square_sums_(sums_.size()),
        variance_(sums_.size()) {}

  const std::int32_t* Compute(std::span<const Plane> greys, int y) {
    const int width = greys[0].width();
    std::fill(sums_.begin(), sums_.end(), 0U);
    std::fill(square_sums_.begin(), square_sums_.end(), 0U);
    for (const Plane& grey : greys) {
      const auto* values = grey.Row<std::uint8_t>(y);
      std::uint32_t* __restrict sums = sums_.data();
      std::uint32_t* __restrict square_sums = square_sums_.data();
      for (int x = 0; x < width; ++x) {
        const std::uint32_t value = values[x];
        sums[x] += value;
        square_sums[x] += value * value;
      }
    }
    const auto pictures = static_cast<std::uint32_t>(greys.size());
    for (std::size_t x = 0; x < sums_.size(); ++x) {
      variance_[x] = classic::TemporalVariance(pictures, sums_[x], square_sums_[x]);
    }
    return variance_.data();
  }

 private:
  std::vector<std::uint32_t> sums_;
  std::vector<std::uint32_t> square_sums_;
  std::vector<std::int32_t> variance_;
};

/// What the first pass finds: the largest values of each picture's maps and of their variance.
struct AllMaxima {
  std::vector<Maxima> pictures;
  std::int32_t temporal = 0;
};

class CpuClassicFusion final : public CpuStage<ClassicFusionStage> {
 public:
  using CpuStage::CpuStage;

  absl::StatusOr<Plane> Score(std::span<const ClassicEvidence> evidence,
                              std::span<const Plane> greys,
                              const ClassicFusionParams& params) override {
    GLINT_RETURN_IF_ERROR(CheckParams(params));
    GLINT_RETURN_IF_ERROR(CheckEvidence(evidence, greys, {}));
    Plane score;
    GLINT_RETURN_IF_ERROR(HostCall("fusion", [&] { score = Fuse(evidence, greys, params); }));
    return score;
  }

  absl::StatusOr<Plane> Mask(const Plane& score, double deviations) override {
    GLINT_RETURN_IF_ERROR(CheckPlane("fusion: score", score, PixelType::kS32, {}));
    Plane mask;
    GLINT_RETURN_IF_ERROR(HostCall(
        "fusion", [&] { mask = Above(score, classic::MaskThreshold(Sum(score), deviations)); }));
    return mask;
  }

 private:
  Plane Fuse(std::span<const ClassicEvidence> evidence, std::span<const Plane> greys,
             const ClassicFusionParams& params) {
    const AllMaxima maxima = FindMaxima(evidence, greys, params);
    std::vector<Weights> weights;
    for (const Maxima& picture : maxima.pictures) {
      weights.push_back(classic::WeightsFor(params, picture));
    }
    const classic::TemporalWeights temporal_weights =
        classic::TemporalWeightsFor(params, maxima.temporal);
    const Size size = greys[0].size();
    Plane score = Plane::Host(size, PixelType::kS32);
    const auto work = [&](Rows rows) {
      std::vector<float> best(static_cast<std::size_t>(size.width));
      TemporalRow temporal(size.width);
      for (int y = rows.begin; y < rows.end; ++y) {
        std::fill(best.begin(), best.end(), 0.0F);
        for (std::size_t i = 0; i < evidence.size(); ++i) {
          RaiseToScore(EvidenceRow(evidence[i], y), params, weights[i], size.width, best.data());
        }
        if (greys.size() > 1) AddTemporal(temporal.Compute(greys, y), temporal_weights, best);
        auto* out = score.Row<std::int32_t>(y);
        for (std::size_t x = 0; x < best.size(); ++x) out[x] = classic::QuantiseScore(best[x]);
      }
    };
    ForRows(pool_, size.height, work, kBandRows);
    return score;
  }

  Plane Above(const Plane& score, std::int64_t threshold) {
    // Scores are 0..2^kScoreBits, so a threshold beyond marks all or nothing just the same.
    const auto limit = static_cast<std::int32_t>(
        std::clamp<std::int64_t>(threshold, -1, std::int64_t{1} << kScoreBits));
    Plane mask = Plane::Host(score.size(), PixelType::kU8);
    const auto work = [&](Rows rows) {
      for (int y = rows.begin; y < rows.end; ++y) {
        const auto* in = score.Row<std::int32_t>(y);
        auto* out = mask.Row<std::uint8_t>(y);
        for (int x = 0; x < score.width(); ++x) out[x] = in[x] > limit ? 255 : 0;
      }
    };
    ForRows(pool_, score.height(), work, kBandRows);
    return mask;
  }

  AllMaxima FindMaxima(std::span<const ClassicEvidence> evidence, std::span<const Plane> greys,
                       const ClassicFusionParams& params) {
    const Size size = greys[0].size();
    std::vector<AllMaxima> parts(Bands(size));
    const auto work = [&](Rows rows) {
      AllMaxima& part = parts[BandOf(rows)];
      part.pictures.resize(evidence.size());
      TemporalRow temporal(size.width);
      for (int y = rows.begin; y < rows.end; ++y) {
        for (std::size_t i = 0; i < evidence.size(); ++i) {
          Include(EvidenceRow(evidence[i], y), params, size.width, part.pictures[i]);
        }
        part.temporal = std::max(part.temporal, Largest(temporal.Compute(greys, y), size.width));
      }
    };
    ForRows(pool_, size.height, work, kBandRows);
    AllMaxima all{.pictures = std::vector<Maxima>(evidence.size())};
    for (const AllMaxima& part : parts) {
      all.temporal = std::max(all.temporal, part.temporal);
      for (std::size_t i = 0; i < evidence.size(); ++i) {
        Maxima& maxima = all.pictures[i];
        maxima.edges = std::max(maxima.edges, part.pictures[i].edges);
        maxima.laplacian = std::max(maxima.laplacian, part.pictures[i].laplacian);
        maxima.gradient = std::max(maxima.gradient, part.pictures[i].gradient);
        maxima.variance = std::max(maxima.variance, part.pictures[i].variance);
      }
    }
    return all;
  }

  ScoreSums Sum(const Plane& score) {
    std::vector<ScoreSums> parts(Bands(score.size()));
    const auto work = [&](Rows rows) {
      for (int y = rows.begin; y < rows.end; ++y) {
        const auto* values = score.Row<std::int32_t>(y);
        ScoreSums row{.pixels = score.width()};
        std::uint64_t square_sum = 0;  // 2^40 a pixel: holds rows of 2^24
        for (int x = 0; x < score.width(); ++x) {
          row.sum += values[x];
          square_sum += static_cast<std::uint64_t>(std::int64_t{values[x]} * values[x]);
        }
        row.square_sum = square_sum;
        parts[BandOf(rows)] += row;
      }
    };
    ForRows(pool_, score.height(), work, kBandRows);
    ScoreSums all;
    for (const ScoreSums& part : parts) all += part;
    return all;
  }
};

}  // namespace

GLINT_DEFINE_CPU_STAGE(ClassicFusion, CpuClassicFusion)

}  // namespace glint
