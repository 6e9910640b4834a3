// SPDX-License-Identifier: Apache-2.0
// The local model of one view: sums over 13x13 windows, and what they cannot explain.
//
// The sums are of integers, so running sums are exact. Plain loops; included once per instruction
// set, for which the compiler turns them into vectors.
#if defined(GLINT_PHOTOMETRIC_RESIDUAL_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef GLINT_PHOTOMETRIC_RESIDUAL_INL_H
#undef GLINT_PHOTOMETRIC_RESIDUAL_INL_H
#else
#define GLINT_PHOTOMETRIC_RESIDUAL_INL_H
#endif

#include <vector>

#include "stages/cpu/photometric/median-inl.h"

HWY_BEFORE_NAMESPACE();
namespace glint::photometric::HWY_NAMESPACE {

/// Sums over the columns of a window's rows, and of three columns each.
template <int kSums>
class SlidingSums {
 public:
  explicit SlidingSums(int width)
      : padded_(static_cast<std::size_t>(width + 2 * kModelRadius)),
        columns_(kSums * padded_),
        windows_(kSums * padded_),
        triples_(padded_) {}

  void Clear() { std::fill(columns_.begin(), columns_.end(), 0); }

  /// Sums the columns of the windows around each pixel of the row.
  void Finish(int width) {
    for (int sum = 0; sum < kSums; ++sum)
      SumColumns(&columns_[PlaceOf(sum)], triples_.data(), width, Window(sum));
  }

 protected:
  /// Sums over the rows, from the row's first pixel.
  std::int32_t* Columns(int sum) { return &columns_[PlaceOf(sum)] + kModelRadius; }
  std::int32_t* Window(int sum) { return &windows_[PlaceOf(sum)]; }

 private:
  static_assert(2 * kModelRadius + 1 == 4 * 3 + 1);

  static void SumColumns(const std::int32_t* HWY_RESTRICT columns,
                         std::int32_t* HWY_RESTRICT triples, int width,
                         std::int32_t* HWY_RESTRICT out) {
    for (int x = 0; x < width + 2 * kModelRadius - 2; ++x) {
      triples[x] = columns[x] + columns[x + 1] + columns[x + 2];
    }
    for (int x = 0; x < width; ++x) {
      out[x] =
          ((triples[x] + triples[x + 3]) + (triples[x + 6] + triples[x + 9])) + columns[x + 12];
    }
  }

  std::size_t PlaceOf(int sum) const { return static_cast<std::size_t>(sum) * padded_; }

  std::size_t padded_;
  std::vector<std::int32_t> columns_;
  std::vector<std::int32_t> windows_;
  std::vector<std::int32_t> triples_;
};

/// The sums of gain and offset.
class ModelSums : public SlidingSums<5> {
 public:
  using SlidingSums::SlidingSums;

  /// One row of what is summed.
  struct Row {
    const std::int16_t* weight;
    const std::int16_t* m;  ///< coarse albedo
    const std::int16_t* v;  ///< smoothed view, not coarse
  };

  /// Moves the window down by one row.
  void Slide(const Row& entering, const Row& leaving, int width) {
    const Row in = entering, out = leaving;
    std::int32_t* HWY_RESTRICT weight = Columns(0);
    std::int32_t* HWY_RESTRICT m = Columns(1);
    std::int32_t* HWY_RESTRICT v = Columns(2);
    std::int32_t* HWY_RESTRICT mv = Columns(3);
    std::int32_t* HWY_RESTRICT mm = Columns(4);
    for (int x = 0; x < width; ++x) {
      const std::int32_t w1 = in.weight[x], m1 = in.m[x], v1 = Coarse(in.v[x]);
      const std::int32_t w0 = out.weight[x], m0 = out.m[x], v0 = Coarse(out.v[x]);
      const std::int32_t wm1 = w1 * m1, wm0 = w0 * m0;
      weight[x] += w1 - w0;
      m[x] += wm1 - wm0;
      v[x] += w1 * v1 - w0 * v0;
      mv[x] += wm1 * v1 - wm0 * v0;
      mm[x] += wm1 * m1 - wm0 * m0;
    }
  }

  /// What the model cannot explain at each pixel of a row, 1/64 grey; of no meaning where the
  /// window has no weight.
  void WriteRests(const std::int16_t* HWY_RESTRICT albedo, const std::int16_t* HWY_RESTRICT view,
                  float flat_variance_grey2, int width, float* HWY_RESTRICT out) {
    const std::int32_t* HWY_RESTRICT weight = Window(0);
    const std::int32_t* HWY_RESTRICT m = Window(1);
    const std::int32_t* HWY_RESTRICT v = Window(2);
    const std::int32_t* HWY_RESTRICT mv = Window(3);
    const std::int32_t* HWY_RESTRICT mm = Window(4);
    for (int x = 0; x < width; ++x) {
      const WindowSums window = {.weight = weight[x] | static_cast<std::int32_t>(weight[x] == 0),
                                 .m = m[x],
                                 .v = v[x],
                                 .mv = mv[x],
                                 .mm = mm[x]};
      out[x] = Rest(window, albedo[x], view[x], flat_variance_grey2);
    }
  }

  /// Weight of the window around each pixel of the row.
  const std::int32_t* Weights() { return Window(0); }
};

/// The sums of the curve's share.
class ShareSums : public SlidingSums<2> {
 public:
  using SlidingSums::SlidingSums;

  /// One row of what is summed.
  struct Row {
    const std::int16_t* weight;
    const std::int16_t* curve;
    const std::int16_t* rest;  ///< not coarse
  };

  /// Moves the window down by one row.
  void Slide(const Row& entering, const Row& leaving, int width) {
    const Row in = entering, out = leaving;
    std::int32_t* HWY_RESTRICT product = Columns(0);
    std::int32_t* HWY_RESTRICT square = Columns(1);
    for (int x = 0; x < width; ++x) {
      const std::int32_t c1 = in.curve[x], c0 = out.curve[x];
      const std::int32_t wc1 = in.weight[x] * c1, wc0 = out.weight[x] * c0;
      product[x] += wc1 * CoarseRest(in.rest[x]) - wc0 * CoarseRest(out.rest[x]);
      square[x] += wc1 * c1 - wc0 * c0;
    }
  }

  void WriteStraight(const std::int16_t* HWY_RESTRICT rest, const std::int16_t* HWY_RESTRICT curve,
                     float curve_doubt_grey2, int width, std::int16_t* HWY_RESTRICT out) {
    const std::int32_t* HWY_RESTRICT product = Window(0);
    const std::int32_t* HWY_RESTRICT square = Window(1);
    for (int x = 0; x < width; ++x) {
      out[x] = Straighten(rest[x], curve[x], {.product = product[x], .square = square[x]},
                          curve_doubt_grey2);
    }
  }
};

/// Weights of the next round. @param valid  full weight or 0
inline void WriteWeights(const float* HWY_RESTRICT rest, const float* HWY_RESTRICT inverse_bound,
                         const std::int16_t* HWY_RESTRICT valid, int width,
                         std::int16_t* HWY_RESTRICT out) {
  for (int x = 0; x < width; ++x) {
    const std::int16_t next = RobustWeight(rest[x], inverse_bound[x]);
    out[x] = static_cast<std::int16_t>(valid[x] == 0 ? 0 : next);
  }
}

/// Weights for the curve's share.
inline void WriteShareWeights(const std::int16_t* HWY_RESTRICT rest,
                              const float* HWY_RESTRICT inverse_bound,
                              const std::int16_t* HWY_RESTRICT valid, int width,
                              std::int16_t* HWY_RESTRICT out) {
  for (int x = 0; x < width; ++x) {
    const std::int16_t next = RobustWeight(static_cast<float>(rest[x]), inverse_bound[x]);
    out[x] = static_cast<std::int16_t>(valid[x] == 0 ? 0 : next);
  }
}

/// Residuals; 0 where the weights of all pixels around do not make up one, since nothing fits
/// there.
inline void WriteResiduals(const float* HWY_RESTRICT rest, const std::int32_t* HWY_RESTRICT weight,
                           const std::int16_t* HWY_RESTRICT valid, int width,
                           std::int16_t* HWY_RESTRICT out) {
  for (int x = 0; x < width; ++x) {
    const std::int16_t value = QuantiseRest(rest[x]);
    const std::int16_t kept = static_cast<std::int16_t>(weight[x] < kFullWeight ? 0 : value);
    out[x] = static_cast<std::int16_t>(valid[x] == 0 ? 0 : kept);
  }
}

/// The curve of a row. @param valid  full weight or 0
inline void WriteCurve(const float* HWY_RESTRICT rest, const std::int16_t* HWY_RESTRICT valid,
                       int width, std::int16_t* HWY_RESTRICT out) {
  for (int x = 0; x < width; ++x) {
    const std::int16_t value = QuantiseCurve(rest[x]);
    out[x] = static_cast<std::int16_t>(valid[x] == 0 ? 0 : value);
  }
}

inline void FullWeights(const std::uint8_t* HWY_RESTRICT valid,
                        const std::uint8_t* HWY_RESTRICT surface, int width,
                        std::int16_t* HWY_RESTRICT out) {
  for (int x = 0; x < width; ++x) {
    out[x] = valid[x] != 0 && surface[x] != 0 ? std::int16_t{kFullWeight} : std::int16_t{0};
  }
}

/// The model of one view.
class ViewFit {
 public:
  explicit ViewFit(Size size)
      : width_(size.width),
        height_(size.height),
        view_(Plane::Host(size, PixelType::kS16)),
        valid_(Plane::Host(size, PixelType::kS16)),
        weights_(Plane::Host(size, PixelType::kS16)),
        rests_(Plane::Host(size, PixelType::kS16)),
        nothing_(static_cast<std::size_t>(size.width)),
        rest_(nothing_.size()),
        sums_(size.width),
        shares_(size.width) {}

  void Run(const Plane& grey, const Plane& valid, const Plane& surface, const ModelInput& model,
           const Plane& out) {
    RowSmoother smoother(width_);
    for (int y = 0; y < height_; ++y) {
      smoother.Smooth(grey, y, view_.Row<std::int16_t>(y));
      FullWeights(valid.Row<std::uint8_t>(y), surface.Row<std::uint8_t>(y), width_,
                  valid_.Row<std::int16_t>(y));
    }
    static_assert(kModelRounds == 2);
    Start();
    for (int y = 0; y < height_; ++y) {
      MoveTo(y, model, valid_);
      WriteWeights(rest_.data(), model.inverse_bound.Row<float>(y), valid_.Row<std::int16_t>(y),
                   width_, weights_.Row<std::int16_t>(y));
    }
    Start();
    for (int y = 0; y < height_; ++y) {
      MoveTo(y, model, weights_);
      WriteResiduals(rest_.data(), sums_.Weights(), valid_.Row<std::int16_t>(y), width_,
                     rests_.Row<std::int16_t>(y));
    }
    for (int y = 0; y < height_; ++y) {
      WriteShareWeights(rests_.Row<std::int16_t>(y), model.inverse_bound.Row<float>(y),
                        valid_.Row<std::int16_t>(y), width_, weights_.Row<std::int16_t>(y));
    }
    StraightenAll(model, out);
  }

  /// The model of the veiled albedo.
  void RunOnAlbedo(const Plane& surface, const ModelInput& model, const Plane& out) {
    const float veil_percent = model.params.veil_percent;
    for (int y = 0; y < height_; ++y) {
      const auto* albedo = model.albedo.Row<std::int16_t>(y);
      const auto* seen = surface.Row<std::uint8_t>(y);
      auto* view = view_.Row<std::int16_t>(y);
      for (int x = 0; x < width_; ++x) view[x] = Veiled(albedo[x], veil_percent);
      FullWeights(seen, seen, width_, valid_.Row<std::int16_t>(y));
    }
    Start();
    for (int y = 0; y < height_; ++y) {
      MoveTo(y, model, valid_);
      WriteCurve(rest_.data(), valid_.Row<std::int16_t>(y), width_, out.Row<std::int16_t>(y));
    }
  }

 private:
  void Start() {
    sums_.Clear();
    entered_ = 0;
  }

  /// Finds the rests of row y; rows come in order.
  void MoveTo(int y, const ModelInput& model, const Plane& weights) {
    for (; entered_ <= y + kModelRadius; ++entered_) {
      sums_.Slide(RowAt(entered_, model.coarse, weights),
                  RowAt(entered_ - 2 * kModelRadius - 1, model.coarse, weights), width_);
    }
    sums_.Finish(width_);
    sums_.WriteRests(model.albedo.Row<std::int16_t>(y), view_.Row<std::int16_t>(y),
                     model.params.flat_variance_grey2, width_, rest_.data());
  }

  /// Takes the curve's share out of the rests.
  void StraightenAll(const ModelInput& model, const Plane& out) {
    shares_.Clear();
    const auto row_at = [&](int y) -> ShareSums::Row {
      if (y < 0 || y >= height_) return {nothing_.data(), nothing_.data(), nothing_.data()};
      return {weights_.Row<std::int16_t>(y), model.curve.Row<std::int16_t>(y),
              rests_.Row<std::int16_t>(y)};
    };
    for (int entering = 0; entering < height_ + kModelRadius; ++entering) {
      shares_.Slide(row_at(entering), row_at(entering - 2 * kModelRadius - 1), width_);
      const int y = entering - kModelRadius;
      if (y < 0) continue;
      shares_.Finish(width_);
      shares_.WriteStraight(rests_.Row<std::int16_t>(y), model.curve.Row<std::int16_t>(y),
                            model.params.curve_doubt_grey2, width_, out.Row<std::int16_t>(y));
    }
  }

  ModelSums::Row RowAt(int y, const Plane& coarse, const Plane& weights) const {
    if (y < 0 || y >= height_) return {nothing_.data(), nothing_.data(), nothing_.data()};
    return {weights.Row<std::int16_t>(y), coarse.Row<std::int16_t>(y), view_.Row<std::int16_t>(y)};
  }

  int width_;
  int height_;
  Plane view_;
  Plane valid_;    // full weight or 0
  Plane weights_;  // of the second round, then for the curve's share
  Plane rests_;    // of gain and offset
  std::vector<std::int16_t> nothing_;
  std::vector<float> rest_;  // of the row
  ModelSums sums_;
  ShareSums shares_;
  int entered_ = 0;
};

inline void FitCurve(const Plane& surface, const ModelInput& model, const Plane& out) {
  ViewFit(surface.size()).RunOnAlbedo(surface, model, out);
}

inline void FitView(const Plane& grey, const Plane& valid, const Plane& surface,
                    const ModelInput& model, const Plane& out) {
  ViewFit(grey.size()).Run(grey, valid, surface, model, out);
}

}  // namespace glint::photometric::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
