// SPDX-License-Identifier: Apache-2.0
// The operations of the pipeline that every backend provides. A stage reads and writes planes on
// its backend's device, serves one scan, keeps its scratch memory between calls, and is used by one
// thread at a time; inside, it may use as many threads as its backend has. Results are complete on
// return, and are the same bytes on every backend (docs/adr/0003-exactness.md).
//
// Every function returns INTERNAL when planes have the wrong type, size or device (a mistake of the
// caller; the message holds both shapes), INVALID_ARGUMENT when a parameter is out of its range,
// RESOURCE_EXHAUSTED when device memory is out (the stage stays usable
// for less), and UNAVAILABLE when the device reports any other error (drop stage and planes then).
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "glint/plane.h"
#include "glint/stage_params.h"

namespace glint {

/// What the stored luma samples of a decoded picture are.
struct LumaFormat {
  int depth = 8;  ///< significant bits of a sample, 8..16
  int shift = 0;  ///< unused low bits below them: 6 in P010, 0 in NV12 and in planar layouts; depth
                  ///< + shift <= 8 for samples of one byte, 16 for samples of two
  bool full_range = false;
};

/// Luma as the pipeline wants it, from pictures as decoders lay them out: the Y plane of NV12, P010
/// and of every planar layout of 8 to 16 bits.
class LumaConversionStage {
 public:
  virtual ~LumaConversionStage() = default;
  /// @param stored  each at least 1x1 (sizes may differ): kU8 for a depth of 8; kS16 for more,
  /// whose 16 bits are read without a sign, little end first
  /// @return one per plane: kU8, full range, in the place of the sample Y of d bits, rounded half
  /// up and clamped, (Y - 16 * 2^(d-8)) * 255 / (219 * 2^(d-8)) of limited range, Y * 255 / (2^d -
  /// 1) of full range
  virtual absl::StatusOr<std::vector<Plane>> Run(std::span<const Plane> stored,
                                                 const LumaFormat& format) = 0;
};

/// Exact sums over one luma plane.
struct LumaStatistics {
  std::int64_t pixels = 0;
  std::int64_t laplacian_sum = 0;  ///< of the 3x3 Laplacian 0 1 0 / 1 -4 1 / 0 1 0, reflect-101
  std::int64_t laplacian_square_sum = 0;  ///< of its square
  std::int64_t dark = 0;                  ///< pixels <= 2
  std::int64_t bright = 0;                ///< pixels >= 253

  /// Variance of the Laplacian (population), grey values squared.
  double LaplacianVariance() const;
  bool operator==(const LumaStatistics&) const = default;
};

/// Sharpness and clipping of frames.
class LumaStatisticsStage {
 public:
  virtual ~LumaStatisticsStage() = default;
  /// @param luma  kU8, each at least 1x1 (sizes may differ)
  /// @param out   one entry per plane
  virtual absl::Status Run(std::span<const Plane> luma, std::span<LumaStatistics> out) = 0;
};

/// Dense motion between frames: G. Farnebäck, "Two-frame motion estimation based on polynomial
/// expansion", SCIA 2003, with pyr_scale 0.5, 3 levels, window 15, 3 iterations, poly_n 5,
/// poly_sigma 1.2 (the parameters of cv::calcOpticalFlowFarneback, flags 0).
class FlowStage {
 public:
  virtual ~FlowStage() = default;
  /// Motion that carries `previous` onto `next`.
  /// @param previous,next  kU8, same size, both sides >= 16
  /// @return kF32x2, pixels, x to the right and y down
  virtual absl::StatusOr<Plane> Field(const Plane& previous, const Plane& next) = 0;

  /// Mean length of the motion between each frame and the one before it.
  /// @param frames  kU8, same size, both sides >= 16; consecutive frames, at least two
  /// @param out     frames.size() - 1 entries: pixels per frame from frames[i] to frames[i + 1]
  virtual absl::Status MeanLengths(std::span<const Plane> frames, std::span<double> out) = 0;
};

/// Sharpness, clipping and motion of the frames of one video, batch after batch, from host memory.
/// A device may have a batch under way while the next one travels to it.
class MeasureStage {
 public:
  virtual ~MeasureStage() = default;

  /// How many batches may have begun and not ended, >= 1.
  virtual int most_in_flight() const = 0;

  /// How many frames a batch should have for the device to be well used, >= 1; nothing when that is
  /// a question of the host's memory only.
  virtual std::optional<int> BestBatch(Size frame, bool motion) const = 0;

  /// Begins a batch: the frames that follow those of the batch before.
  /// @param luma    kU8 on the host, at least one; with motion all of one size, also from batch to
  /// batch, and both sides >= 16. The pixels must stay unchanged until the batch has ended.
  /// @param motion  whether it is measured; the same for all batches
  /// After a failure the stage is of no use any more.
  virtual absl::Status Begin(std::span<const Plane> luma, bool motion) = 0;

  /// Waits for the oldest batch that has begun.
  /// @param statistics  one per frame
  /// @param lengths     with motion one per frame: mean length of the motion from the frame before
  /// it, as FlowStage::MeanLengths; 0 for the first frame of all. Without motion: empty
  virtual absl::Status End(std::span<LumaStatistics> statistics, std::span<double> lengths) = 0;
};

/// Hysteresis thresholds of an edge map, in units of |gx| + |gy| of the 3x3 Sobel operator.
struct CannyThresholds {
  double low = 0;
  double high = 0;
};

/// Edges: J. Canny, "A Computational Approach to Edge Detection", PAMI 1986, as cv::Canny computes
/// it (3x3 Sobel, L1 norm, border replicated).
class EdgeStage {
 public:
  virtual ~EdgeStage() = default;
  /// One edge map per pair of thresholds; gradients are computed once.
  /// @param luma  kU8, at least 1x1
  /// @return kU8 of 0 and 255, of the size of `luma`
  virtual absl::StatusOr<std::vector<Plane>> Run(const Plane& luma,
                                                 std::span<const CannyThresholds> thresholds) = 0;
};

enum class MorphologyOp { kErode, kDilate, kOpen, kClose, kTopHat, kBlackHat };

/// The neighbourhood of a morphological operation. Its anchor is (width / 2, height / 2).
struct StructuringElement {
  enum class Shape {
    kRectangle,
    kEllipse,  ///< as cv::getStructuringElement(cv::MORPH_ELLIPSE) draws it
    kLine,     ///< one pixel wide, through the centre
  };
  Shape shape = Shape::kRectangle;
  Size size{3, 3};
  double angle = 0;  ///< of a line: radians from the x axis, counter-clockwise as displayed

  /// The element as rows of 0 and 1.
  std::vector<std::uint8_t> Rasterise() const;
};

/// Erosion, dilation and what is made of them. What lies outside the plane takes no part
/// (cv::morphologyEx with its default border value).
class MorphologyStage {
 public:
  virtual ~MorphologyStage() = default;
  /// @param input  kU8, at least 1x1
  /// @param iterations  >= 1; as cv::morphologyEx counts them (open = erode n times, then dilate n
  /// times)
  virtual absl::StatusOr<Plane> Run(const Plane& input, MorphologyOp op,
                                    const StructuringElement& element, int iterations) = 0;
};

/// A connected component of a mask.
struct Component {
  std::int64_t area = 0;       ///< its pixels
  std::int64_t value_sum = 0;  ///< sum of their values; 0 where none were given
  int left = 0;                ///< column of the leftmost pixel
  int top = 0;                 ///< row of the first one
  int right = 0;               ///< column of the rightmost
  int bottom = 0;              ///< row of the last

  bool operator==(const Component&) const = default;
};

/// A mask taken apart into its connected components.
struct ConnectedComponents {
  Plane labels;                       ///< kS32: the number of each pixel's component, 0 for none
  std::vector<Component> components;  ///< number 1, 2, ...
};

/// Connected components of 8-connectivity, numbered from 1 by their first pixels in reading order.
class ConnectedComponentsStage {
 public:
  virtual ~ConnectedComponentsStage() = default;
  /// @param mask    kU8, at least 1x1 and at most 2^31 - 1 pixels; set where it is not 0
  /// @param values  kS32 of the size of `mask`, to be summed over each component; empty for none
  /// @return labels of the size of `mask`
  virtual absl::StatusOr<ConnectedComponents> Run(const Plane& mask, const Plane& values) = 0;
};

/// A projective map of the plane, row by row: (x, y, 1) -> (x', y', w).
using Homography = std::array<double, 9>;

enum class Interpolation { kNearest, kLinear };

/// Resampling through a homography.
class WarpStage {
 public:
  virtual ~WarpStage() = default;
  /// @param source  kU8 or kU8x3
  /// @param source_from_output  carries output pixel coordinates (centres at integers) to source
  /// ones
  /// @param border  value of every channel where the source does not reach; nothing replicates the
  /// edge
  /// @return the source's type, `size` large
  virtual absl::StatusOr<Plane> Run(const Plane& source, const Homography& source_from_output,
                                    Size size, Interpolation interpolation,
                                    std::optional<std::uint8_t> border) = 0;
};

/// A smooth displacement of the pixels of a picture, given at nodes: node (i, j) lies at pixel
/// (kStep * i, kStep * j), and what lies between is bilinear.
struct Displacement {
  static constexpr int kStep = 8;  ///< pixels from node to node
  Plane x, y;                      ///< kS16, 1/256 px

  /// Nodes that a picture needs: those around each of its pixels.
  static constexpr Size NodesFor(Size picture) {
    return {(picture.width - 1) / kStep + 2, (picture.height - 1) / kStep + 2};
  }
};

/// Resampling through a displacement and a homography: of a sheet that is not flat.
class SheetWarpStage {
 public:
  virtual ~SheetWarpStage() = default;
  /// @param source  kU8; outside of it its edge is repeated
  /// @param source_from_output  as of WarpStage; carries output pixel (x, y) + displacement(x, y)
  /// @param displacement  on the host, NodesFor(size) large
  /// @return kU8, `size` large: the source, linearly between its pixels
  virtual absl::StatusOr<Plane> Run(const Plane& source, const Homography& source_from_output,
                                    const Displacement& displacement, Size size) = 0;
};

/// Local structure of one grey picture, as exact integers; borders reflect-101.
struct DetailMaps {
  Plane laplacian;  ///< kS32: |3x3 Laplacian|
  Plane gradient;   ///< kS32: gx^2 + gy^2 of the 3x3 Sobel operator
  Plane variance;   ///< kS32: 25 * sum(v^2) - sum(v)^2 over 5x5, i.e. 625 times the variance
};

/// Laplacian, gradient and local variance, together because they read the same neighbourhood.
class DetailStage {
 public:
  virtual ~DetailStage() = default;
  /// @param grey  kU8, at least 1x1
  virtual absl::StatusOr<DetailMaps> Run(const Plane& grey) = 0;
};

/// The evidence that `classic` takes from one picture.
struct ClassicEvidence {
  std::array<Plane, 3> edges;  ///< kU8: Canny at (15,60), (30,100), (50,150)
  DetailMaps detail;
};

/// The fusion of `classic`: one score map out of the evidence of all pictures.
class ClassicFusionStage {
 public:
  static constexpr int kScoreBits = glint::kScoreBits;

  virtual ~ClassicFusionStage() = default;
  /// Per picture: each map divided by its own maximum (a map of maximum 0 contributes 0), combined
  /// by the shares of `params` (edges, Laplacian, gradient length, local standard deviation); the
  /// largest over the pictures; with two or more, temporal_share of it replaced by the temporal
  /// variance of grey divided by its maximum.
  /// @param evidence  one per picture, at least one
  /// @param greys     the pictures, kU8, same size
  /// @return kS32, scores in units of 2^-kScoreBits, 0..2^kScoreBits
  virtual absl::StatusOr<Plane> Score(std::span<const ClassicEvidence> evidence,
                                      std::span<const Plane> greys,
                                      const ClassicFusionParams& params) = 0;

  /// Where the score is above its mean + `deviations` of its standard deviation.
  /// @return kU8 of 0 and 255
  virtual absl::StatusOr<Plane> Mask(const Plane& score, double deviations) = 0;
};

}  // namespace glint
