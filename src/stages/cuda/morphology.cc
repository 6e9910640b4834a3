// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "glint/error.h"
#include "stages/check_plane.h"
#include "stages/cuda/kernels/classic.h"
#include "stages/cuda/stages.h"

namespace glint::cuda {
namespace {

/// The passes, each a list of spans, that make one erosion or dilation. A rectangle takes two: a
/// row and a column.
std::vector<std::vector<ElementSpan>> PassesOf(const StructuringElement& element) {
  const auto [width, height] = element.size;
  const int left = width / 2, top = height / 2;
  if (element.shape == StructuringElement::Shape::kRectangle) {
    std::vector<ElementSpan> column;
    for (int y = 0; y < height; ++y) column.push_back({.dy = y - top, .begin = 0, .end = 1});
    return {{{.dy = 0, .begin = -left, .end = width - left}}, column};
  }
  const std::vector<std::uint8_t> cells = element.Rasterise();
  std::vector<ElementSpan> spans;
  for (int y = 0; y < height; ++y) {
    const auto row = cells.begin() + std::ptrdiff_t{y} * width;
    for (auto begin = std::find(row, row + width, 1); begin != row + width;) {
      const auto end = std::find(begin, row + width, 0);
      spans.push_back({.dy = y - top,
                       .begin = static_cast<int>(begin - row) - left,
                       .end = static_cast<int>(end - row) - left});
      begin = std::find(end, row + width, 1);
    }
  }
  return {spans};
}

/// Which of erosion (false) and dilation (true) make an operation.
std::vector<bool> StepsOf(MorphologyOp op) {
  switch (op) {
    case MorphologyOp::kErode:
      return {false};
    case MorphologyOp::kDilate:
      return {true};
    case MorphologyOp::kOpen:
    case MorphologyOp::kTopHat:
      return {false, true};
    case MorphologyOp::kClose:
    case MorphologyOp::kBlackHat:
      return {true, false};
  }
  return {};
}

class GpuMorphology final : public MorphologyStage {
 public:
  explicit GpuMorphology(std::unique_ptr<Workplace> workplace) : at_(std::move(workplace)) {}

  absl::StatusOr<Plane> Run(const Plane& input, MorphologyOp op, const StructuringElement& element,
                            int iterations) override {
    GLINT_RETURN_IF_FAILED(CheckPlane("morphology: input", input, PixelType::kU8, at_->device()));
    GLINT_RETURN_IF_FAILED(CheckSize("morphology: element", element.size));
    if (iterations < 1) {
      return Error(Reason::kInvalidOption,
                   fmt::format("morphology: {} iterations; there must be at least 1", iterations));
    }
    std::vector<ElementSpan> spans;
    std::vector<int> pass_ends;
    for (const auto& pass : PassesOf(element)) {
      spans.insert(spans.end(), pass.begin(), pass.end());
      pass_ends.push_back(static_cast<int>(spans.size()));
    }
    Plane result, other;
    GLINT_TAKE(result, at_->NewPlane(input.size(), PixelType::kU8));
    GLINT_TAKE(other, at_->NewPlane(input.size(), PixelType::kU8));
    Block table;
    GLINT_TAKE(table, at_->Take<ElementSpan>(spans.size()));
    GLINT_RETURN_IF_FAILED(Finish(*at_, [&]() -> absl::Status {
      GLINT_RETURN_IF_FAILED(at_->CopyIn(table, std::span<const ElementSpan>(spans)));
      const Plane* in = &input;
      for (const bool largest : StepsOf(op)) {
        for (int i = 0; i < iterations; ++i) {
          int begin = 0;
          for (const int end : pass_ends) {
            GLINT_RETURN_IF_FAILED(at_->stream().Run(
                MorphologyPassKernel{.in = ImageOf<const std::uint8_t>(*in),
                                     .out = ImageOf<std::uint8_t>(other),
                                     .spans = ValuesOf<const ElementSpan>(table) + begin,
                                     .span_count = end - begin,
                                     .largest = largest},
                BlocksOf(input)));
            begin = end;
            std::swap(result, other);
            in = &result;
          }
        }
      }
      return Subtract(input, op, result, other);
    }));
    return result;
  }

 private:
  static Blocks BlocksOf(const Plane& plane) {
    return {.across = Tiles(plane.width(), plane.height())};
  }

  /// The rest of a top-hat or black-hat.
  absl::Status Subtract(const Plane& input, MorphologyOp op, Plane& result, Plane& other) {
    const bool top_hat = op == MorphologyOp::kTopHat;
    if (!top_hat && op != MorphologyOp::kBlackHat) return absl::OkStatus();
    const DifferenceKernel kernel{.a = ImageOf<const std::uint8_t>(top_hat ? input : result),
                                  .b = ImageOf<const std::uint8_t>(top_hat ? result : input),
                                  .out = ImageOf<std::uint8_t>(other)};
    std::swap(result, other);
    return at_->stream().Run(kernel, BlocksOf(input));
  }

  std::unique_ptr<Workplace> at_;
};

}  // namespace

std::unique_ptr<MorphologyStage> MakeMorphology(std::unique_ptr<Workplace> workplace) {
  return std::make_unique<GpuMorphology>(std::move(workplace));
}

}  // namespace glint::cuda
