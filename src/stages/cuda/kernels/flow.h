// SPDX-License-Identifier: Apache-2.0
// Farnebäck's flow, pixel by pixel the operations of stages/cpu/farneback/reference.cc.
//
// The expansions of several frames lie side by side: slot s of a level holds, per coefficient, a
// plane of height x pitch floats. Coarser flow is held the same way, two planes per pair.
#pragma once

#include <cmath>

#include "stages/cuda/kernel.h"
#include "stages/cuda/kernels/luma_statistics.h"
#include "stages/shared/farneback/parameters.h"
#include "stages/shared/flow_length.h"

namespace glint::cuda {

// Arguments of kernels that are equal are equal byte for byte (CapturedWork): so they have no
// padding.
#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wpadded"

/// Interpolation tables of a level on the device; see farneback::Reduction and Enlargement.
struct AxisTables {
  const int* reduce_first = nullptr;
  const float* reduce_weights = nullptr;  ///< [tap][output]
  std::int64_t taps = 0;
  const int* enlarge_first = nullptr;
  const float* enlarge_fraction = nullptr;
  const float* border_weights = nullptr;
};

/// One level of the pyramid.
struct FlowLevel {
  int width = 0;
  int height = 0;
  std::int64_t pitch = 0;  ///< floats from one row to the next, in every plane of the level
  AxisTables x;
  AxisTables y;

  GLINT_HOST_DEVICE std::int64_t PlaneFloats() const { return pitch * height; }
};

/// The slots of frames that follow each other: one after the other, forwards or backwards, in a
/// ring of `count` slots.
struct SlotRing {
  int first = 0;  ///< that of frame 0
  int step = 1;   ///< to that of the next frame: 1, or backwards, count - 1
  std::int64_t count = 1;

  GLINT_HOST_DEVICE int At(int frame) const {
    return (first + frame * step) % static_cast<int>(count);
  }
  /// The slots of the frames from `frame` on.
  SlotRing From(int frame) const { return {At(frame), step, count}; }
};

/// The image of a level that is a reduction of the frame; layer i makes that of frame i.
struct ReduceLevelKernel {
  static constexpr KernelId kId = KernelId::kReduceLevel;
  using Shape = PixelShape;

  Image<const std::uint8_t> frames[kMaxImages];
  FlowLevel level;
  float* out = nullptr;  ///< one plane per frame

  GLINT_HOST_DEVICE static int Reflect(int i, int count) {
    while (i < 0 || i >= count) i = i < 0 ? -i : 2 * count - 2 - i;
    return i;
  }

  template <int phase>
  GLINT_HOST_DEVICE void Run(const Thread& thread, Shape::Shared&, Shape::Locals&) const {
    const auto [x, y] = PixelOf(thread, level.width);
    if (x >= level.width || y >= level.height) return;
    const Image<const std::uint8_t>& frame = frames[thread.block_y];
    const int first_column = level.x.reduce_first[x], first_row = level.y.reduce_first[y];
    float sum = 0;
    for (int t = 0; t < level.x.taps; ++t) {
      const int column = Reflect(first_column + t, frame.width);
      sum +=
          level.x.reduce_weights[t * level.width + x] * ReducedColumn(frame, column, first_row, y);
    }
    out[thread.block_y * level.PlaneFloats() + std::int64_t{y} * level.pitch + x] = sum;
  }

 private:
  GLINT_HOST_DEVICE float ReducedColumn(const Image<const std::uint8_t>& frame, int column,
                                        int first_row, int y) const {
    const int taps = static_cast<int>(level.y.taps);
    const float* weight = level.y.reduce_weights + y;
    float sum = 0;
    if (first_row >= 0 && first_row + taps <= frame.height) {  // nothing is reflected
      const std::uint8_t* pixel = &frame.At(column, first_row);
      for (int t = 0; t < taps; ++t, pixel += frame.stride, weight += level.height) {
        sum += *weight * static_cast<float>(*pixel);
      }
      return sum;
    }
    for (int t = 0; t < taps; ++t, weight += level.height) {
      const int row = Reflect(first_row + t, frame.height);
      sum += *weight * static_cast<float>(frame.At(column, row));
    }
    return sum;
  }
};

/// The polynomial around every pixel of a level, in tiles of kTile x kTile pixels.
struct ExpandPolynomialsKernel {
  static constexpr KernelId kId = KernelId::kExpandPolynomials;
  static constexpr int kRadius = farneback::kPolyRadius;
  static constexpr int kTile = 32;
  static constexpr int kReach = kTile + 2 * kRadius;  ///< tile and what its kernels read
  struct Memory {
    // Threads that follow each other touch floats that do, over the ends of rows: each another
    // bank.
    float image[kReach][kReach];
    float smooth[kTile][kReach];  // after the vertical kernels
    float slope[kTile][kReach];
    float curvature[kTile][kReach];
  };
  using Shape = BlockShape<3, Memory>;

  Image<const std::uint8_t> frames[kMaxImages];  ///< of the finest level; layer i takes frame i
  const float* images = nullptr;  ///< of a coarser level, as ReduceLevelKernel writes them; or null
  FlowLevel level;
  float smooth[kRadius + 1];  ///< farneback::PolynomialKernels
  float slope[kRadius + 1];
  float curvature[kRadius + 1];
  float* expansions = nullptr;  ///< slots of kCoefficients planes
  SlotRing slots;               ///< of the layers

  template <int phase>
  GLINT_HOST_DEVICE void Run(const Thread& thread, Shape::Shared& shared, Shape::Locals&) const {
    if constexpr (phase == 0) Load(thread, shared);
    if constexpr (phase == 1) FilterColumns(thread, shared);
    if constexpr (phase == 2) FilterRows(thread, shared);
  }

 private:
  GLINT_HOST_DEVICE Pixel Corner(const Thread& thread) const {
    return TileCorner(thread.block_x, CeilDiv(level.width, kTile), kTile, kTile);
  }

  /// The finest level's image: the frame under 1 2 1 / 2 4 2 / 1 2 1.
  GLINT_HOST_DEVICE static float Blurred(const Image<const std::uint8_t>& frame, int x, int y) {
    const int left = x > 0 ? x - 1 : 1, right = x < frame.width - 1 ? x + 1 : x - 1;
    const int above = y > 0 ? y - 1 : 1, below = y < frame.height - 1 ? y + 1 : y - 1;
    const auto row = [&](const std::uint8_t* values) {
      return values[left] + 2 * values[x] + values[right];
    };
    const int sum = row(frame.Row(above)) + 2 * row(frame.Row(y)) + row(frame.Row(below));
    return static_cast<float>(sum) * (1.0F / 16);
  }

  GLINT_HOST_DEVICE void Load(const Thread& thread, Shape::Shared& shared) const {
    const Pixel corner = Corner(thread);
    const float* image = images + (images == nullptr ? 0 : thread.block_y * level.PlaneFloats());
    for (int i = thread.index; i < kReach * kReach; i += Shape::kThreads) {
      const int row = i / kReach, column = i % kReach;
      const int x = ClampIndex(corner.x + column - kRadius, level.width);
      const int y = ClampIndex(corner.y + row - kRadius, level.height);
      shared.image[row][column] = images == nullptr ? Blurred(frames[thread.block_y], x, y)
                                                    : image[std::int64_t{y} * level.pitch + x];
    }
  }

  GLINT_HOST_DEVICE void FilterColumns(const Thread& thread, Shape::Shared& shared) const {
    for (int i = thread.index; i < kTile * kReach; i += Shape::kThreads) {
      const int row = i / kReach, column = i % kReach;
      const float centre = shared.image[row + kRadius][column];
      float smoothed = smooth[0] * centre, sloped = 0, curved = 0;
      for (int k = 1; k <= kRadius; ++k) {
        const float above = shared.image[row + kRadius - k][column];
        const float below = shared.image[row + kRadius + k][column];
        smoothed += smooth[k] * (below + above);
        sloped += slope[k] * (below - above);
        curved += curvature[k] * ((below + above) - (centre + centre));
      }
      shared.smooth[row][column] = smoothed;
      shared.slope[row][column] = sloped;
      shared.curvature[row][column] = curved;
    }
  }

  GLINT_HOST_DEVICE void FilterRows(const Thread& thread, Shape::Shared& shared) const {
    using namespace farneback;  // the coefficients' names
    const Pixel corner = Corner(thread);
    const int slot = slots.At(thread.block_y);
    const std::int64_t plane = level.PlaneFloats();
    for (int i = thread.index; i < kTile * kTile; i += Shape::kThreads) {
      const int row = i / kTile, column = i % kTile;
      const int x = corner.x + column, y = corner.y + row;
      if (x >= level.width || y >= level.height) continue;
      float* out = expansions + plane * kCoefficients * slot + std::int64_t{y} * level.pitch + x;
      const float* smoothed = shared.smooth[row] + column + kRadius;
      const float* sloped = shared.slope[row] + column + kRadius;
      const float* curved = shared.curvature[row] + column + kRadius;
      const float twice = smoothed[0] + smoothed[0];
      float of_x = 0, of_xx = 0, of_xy = 0;
      float of_y = smooth[0] * sloped[0], of_yy = smooth[0] * curved[0];
      for (int k = 1; k <= kRadius; ++k) {
        of_x += slope[k] * (smoothed[k] - smoothed[-k]);
        of_xx += curvature[k] * ((smoothed[k] + smoothed[-k]) - twice);
        of_y += smooth[k] * (sloped[k] + sloped[-k]);
        of_xy += slope[k] * (sloped[k] - sloped[-k]);
        of_yy += smooth[k] * (curved[k] + curved[-k]);
      }
      out[kY * plane] = of_y;
      out[kX * plane] = of_x;
      out[kYY * plane] = of_yy;
      out[kXX * plane] = of_xx;
      out[kXY * plane] = of_xy;
    }
  }
};

/// One iteration of a level's flow, in tiles of kTile x kTile pixels: the equations of the tile and
/// of what its windows reach stay in shared memory, are summed there, and solved.
struct IterateFlowKernel {
  static constexpr KernelId kId = KernelId::kIterateFlow;
  static constexpr int kTile = 32;
  static constexpr int kRadius = farneback::kWindowRadius;
  static constexpr int kReach = kTile + 2 * kRadius;
  /// One of the sums. Threads that follow each other touch different banks: along rows, over the
  /// ends of rows (kPitch is odd, and rows are gone through with what lies between them), down a
  /// column each, and where the next plane's columns begin (kApart).
  struct Plane {
    static constexpr int kPitch = kReach + 1;
    static constexpr int kApart = 28;  ///< kReach * kPitch + kApart is kReach modulo 32 banks
    float rows[kReach][kPitch];
    float apart[kApart];
  };
  static_assert(sizeof(Plane) / sizeof(float) % 32 == kReach % 32 && Plane::kPitch % 2 == 1);
  union Memory {
    Plane sums[farneback::kWindowSums];
    BlockSums<1> lengths;
  };
  struct Kept {
    std::uint64_t length;
  };
  /// With 64 registers instead of 80, four blocks fit where three did; nothing is spilled.
  struct Shape : BlockShape<7, Memory, Kept> {
    static constexpr int kBlocksAtOnce = 4;
  };
  static_assert(kTile == 32 && kReach * farneback::kWindowSums <= Shape::kThreads);

  FlowLevel level;
  const float* expansions = nullptr;
  SlotRing slots;  ///< layer i is the pair of frames i and i + 1
  /// Where the flow starts: in `flow_in` where that is given, else between the pixels of the
  /// coarser level, else at 0.
  const float* flow_in = nullptr;
  const float* coarser_flow = nullptr;
  std::int64_t coarser_pitch = 0;
  std::int64_t coarser_plane = 0;    ///< floats
  float* flow_out = nullptr;         ///< two planes per layer; may be null
  Image<float> field = {};           ///< x, y side by side; only layer 0; may be null
  std::uint64_t* lengths = nullptr;  ///< per layer: sum of QuantisedLength; may be null

  template <int phase>
  GLINT_HOST_DEVICE void Run(const Thread& thread, Shape::Shared& shared,
                             Shape::Locals& locals) const {
    if constexpr (phase == 0) WriteEquations(thread, shared);
    if constexpr (phase == 1) SumColumn(thread, shared);
    if constexpr (phase == 2) SumRow(thread, shared);
    if constexpr (phase == 3) locals.length = Solve(thread, shared);
    if (lengths == nullptr) return;
    if constexpr (phase == 4) shared.lengths.Put(thread.index, 0, locals.length);
    if constexpr (phase == 5) shared.lengths.Reduce(thread.index);
    if constexpr (phase == 6) shared.lengths.AtomicAddTo(thread.index, lengths + thread.block_y);
  }

 private:
  struct Vector {
    float x, y;
  };

  GLINT_HOST_DEVICE Pixel Corner(const Thread& thread) const {
    return TileCorner(thread.block_x, CeilDiv(level.width, kTile), kTile, kTile);
  }

  /// Twice the coarser level's flow, between its pixels; rows first.
  GLINT_HOST_DEVICE float Enlarged(const float* plane, int x, int y) const {
    const float fraction = level.y.enlarge_fraction[y];
    const float top_weight = 2 * (1 - fraction), bottom_weight = 2 * fraction;
    const float* top = plane + std::int64_t{level.y.enlarge_first[y]} * coarser_pitch;
    const float* bottom = top + coarser_pitch;
    const int left = level.x.enlarge_first[x];
    const float across = level.x.enlarge_fraction[x];
    const float at_left = top_weight * top[left] + bottom_weight * bottom[left];
    const float at_right = top_weight * top[left + 1] + bottom_weight * bottom[left + 1];
    return at_left * (1 - across) + at_right * across;
  }

  /// What a layer works on.
  struct Pair {
    const float* previous;  ///< the frames' expansions
    const float* next;
    const float* flow;  ///< of `flow_in` or, without that, the coarser level's; or null
  };

  GLINT_HOST_DEVICE Pair PairOf(int layer) const {
    const float* flow = flow_in != nullptr        ? flow_in + 2 * level.PlaneFloats() * layer
                        : coarser_flow != nullptr ? coarser_flow + 2 * coarser_plane * layer
                                                  : nullptr;
    return {ExpansionOf(layer), ExpansionOf(layer + 1), flow};
  }

  GLINT_HOST_DEVICE Vector Displacement(const float* flow, int x, int y) const {
    if (flow == nullptr) return {0, 0};
    if (flow_in == nullptr) return {Enlarged(flow, x, y), Enlarged(flow + coarser_plane, x, y)};
    const float* at = flow + std::int64_t{y} * level.pitch + x;
    return {at[0], at[level.PlaneFloats()]};
  }

  GLINT_HOST_DEVICE const float* ExpansionOf(int frame) const {
    return expansions +
           std::int64_t{slots.At(frame)} * farneback::kCoefficients * level.PlaneFloats();
  }

  /// The equations of one pixel, into one value per plane of the sums.
  GLINT_HOST_DEVICE void WriteEquationsOf(const Pair& pair, int x, int y, float* out) const {
    using namespace farneback;  // the names of coefficients and sums
    const std::int64_t plane = level.PlaneFloats();
    const float* own = pair.previous + std::int64_t{y} * level.pitch + x;
    const float own_y = own[kY * plane], own_x = own[kX * plane];
    float yy = own[kYY * plane], xx = own[kXX * plane], xy = own[kXY * plane];
    float there[kCoefficients] = {0, 0, yy, xx, xy};
    const Vector d = Displacement(pair.flow, x, y);
    const float target_x = static_cast<float>(x) + d.x, target_y = static_cast<float>(y) + d.y;
    const float column = floorf(target_x), row = floorf(target_y);
    if (column >= 0 && column <= static_cast<float>(level.width - 2) && row >= 0 &&
        row <= static_cast<float>(level.height - 2)) {
      const float across = target_x - column, down = target_y - row;
      const float weight00 = (1 - across) * (1 - down), weight01 = across * (1 - down);
      const float weight10 = (1 - across) * down, weight11 = across * down;
      const float* from =
          pair.next + std::int64_t{static_cast<int>(row)} * level.pitch + static_cast<int>(column);
      for (int c = 0; c < kCoefficients; ++c, from += plane) {
        there[c] = ((weight00 * from[0] + weight01 * from[1]) + weight10 * from[level.pitch]) +
                   weight11 * from[level.pitch + 1];
      }
    }
    const float weight = level.x.border_weights[x] * level.y.border_weights[y];
    yy = yy + there[kYY];
    xx = xx + there[kXX];
    xy = xy + there[kXY];
    const float change_y = ((own_y - there[kY]) + (yy * d.y + xy * d.x)) * weight;
    const float change_x = ((own_x - there[kX]) + (xy * d.y + xx * d.x)) * weight;
    yy *= weight;
    xx *= weight;
    xy *= weight;
    constexpr std::ptrdiff_t kPlane = sizeof(Plane) / sizeof(float);
    out[kGyy * kPlane] = yy * yy + xy * xy;
    out[kGxy * kPlane] = (yy + xx) * xy;
    out[kGxx * kPlane] = xx * xx + xy * xy;
    out[kHy * kPlane] = yy * change_y + xy * change_x;
    out[kHx * kPlane] = xy * change_y + xx * change_x;
  }

  GLINT_HOST_DEVICE void WriteEquations(const Thread& thread, Shape::Shared& shared) const {
    const Pixel corner = Corner(thread);
    const Pair pair = PairOf(thread.block_y);
    float* const first = &shared.sums[0].rows[0][0];
    for (int i = thread.index; i < kReach * Plane::kPitch; i += Shape::kThreads) {
      // What lies between the rows is computed, too: a warp whose threads part takes no less time.
      const int row = i / Plane::kPitch, column = i % Plane::kPitch;
      WriteEquationsOf(pair, ClampIndex(corner.x + column - kRadius, level.width),
                       ClampIndex(corner.y + row - kRadius, level.height), first + i);
    }
  }

  /// Replaces `kTile` values, `step` floats apart, by the sums of 15 that begin there. The sum of
  /// 15 is one of five sums of three, in the order of all backends.
  GLINT_HOST_DEVICE static void SumFifteens(float* values, std::ptrdiff_t step) {
    float triples[kReach - 2];
    float before = values[0], last = values[step];
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
    for (int i = 0; i < kReach - 2; ++i) {
      const float next = values[(i + 2) * step];
      triples[i] = (before + last) + next;
      before = last;
      last = next;
      // What is overwritten here has been read.
      if (i >= 12) {
        values[(i - 12) * step] =
            ((triples[i - 12] + triples[i - 9]) + (triples[i - 3] + triples[i])) + triples[i - 6];
      }
    }
  }

  /// One thread per column and plane: nobody else touches it.
  GLINT_HOST_DEVICE static void SumColumn(const Thread& thread, Shape::Shared& shared) {
    if (thread.index >= kReach * farneback::kWindowSums) return;
    SumFifteens(&shared.sums[thread.index / kReach].rows[0][thread.index % kReach], Plane::kPitch);
  }

  /// One thread per row and plane.
  GLINT_HOST_DEVICE static void SumRow(const Thread& thread, Shape::Shared& shared) {
    if (thread.index >= kTile * farneback::kWindowSums) return;
    SumFifteens(shared.sums[thread.index / kTile].rows[thread.index % kTile], 1);
  }

  /// Solves and writes the tile's pixels of this thread. @return the sum of their lengths
  GLINT_HOST_DEVICE std::uint64_t Solve(const Thread& thread, const Shape::Shared& shared) const {
    using namespace farneback;
    const Pixel corner = Corner(thread);
    std::uint64_t length = 0;
    for (int i = thread.index; i < kTile * kTile; i += Shape::kThreads) {
      const int row = i / kTile, column = i % kTile;
      const int x = corner.x + column, y = corner.y + row;
      if (x >= level.width || y >= level.height) continue;
      const auto sum = [&](WindowSum which) { return shared.sums[which].rows[row][column]; };
      const float g_yy = sum(kGyy), g_xy = sum(kGxy), g_xx = sum(kGxx);
      const float h_y = sum(kHy), h_x = sum(kHx);
      const float determinant = g_yy * g_xx - g_xy * g_xy;
      const float inverse = 1 / ((determinant < 0 ? 0.0F : determinant) + kRegularisation);
      const Vector flow{(g_yy * h_x - g_xy * h_y) * inverse, (g_xx * h_y - g_xy * h_x) * inverse};
      Write(thread.block_y, x, y, flow);
      if (lengths != nullptr) length += static_cast<std::uint64_t>(QuantisedLength(flow.x, flow.y));
    }
    return length;
  }

  GLINT_HOST_DEVICE void Write(int layer, int x, int y, Vector flow) const {
    if (flow_out != nullptr) {
      const std::int64_t plane = level.PlaneFloats();
      float* out = flow_out + 2 * plane * layer + std::int64_t{y} * level.pitch + x;
      out[0] = flow.x;
      out[plane] = flow.y;
    }
    if (field.data != nullptr) {
      float* out = field.Row(y) + std::ptrdiff_t{2} * x;
      out[0] = flow.x;
      out[1] = flow.y;
    }
  }
};

#pragma GCC diagnostic pop

}  // namespace glint::cuda
