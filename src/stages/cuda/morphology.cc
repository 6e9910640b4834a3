// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "glint/error.h"
#include "stages/cuda/kernels/classic.h"
#include "stages/cuda/kernels/van_herk.h"
#include "stages/cuda/stages.h"
#include "stages/shared/check_plane.h"

namespace glint::cuda {
namespace {

/// One pass of an erosion or dilation.
struct Pass {
  // Over a window along rows or columns,
  int window = 0;  ///< 0: it is over spans
  int before = 0;
  bool vertical = false;
  // or over cells.
  int first_span = 0;
  int span_count = 0;
};

/// The passes that make one erosion or dilation, and the cells that some of them need.
struct Passes {
  std::vector<Pass> list;
  std::vector<ElementSpan> spans;

  /// Adds a pass over what was added to the spans since the last one.
  void AddSpans() {
    const int first = list.empty() ? 0 : list.back().first_span + list.back().span_count;
    list.push_back({.first_span = first, .span_count = static_cast<int>(spans.size()) - first});
  }

  /// Adds a line of cells; a long one as windows that make it together. A pixel on the way from one
  /// to the other is always inside, so borders do not matter.
  void AddLine(int length, int before, bool vertical) {
    constexpr int kLongOne = 9;  // reads of its cells cost less than pieces in shared memory
    if (length < kLongOne) {
      for (int i = 0; vertical && i < length; ++i) {
        spans.push_back({.dy = i - before, .begin = 0, .end = 1});
      }
      if (!vertical) spans.push_back({.dy = 0, .begin = -before, .end = length - before});
      return AddSpans();
    }
    const int first = list.empty() ? 0 : list.back().first_span + list.back().span_count;
    while (length > 1) {
      const int window = std::min(length, VanHerkKernel::kLongest);
      const int of_window = std::min(before, window - 1);
      list.push_back(
          {.window = window, .before = of_window, .vertical = vertical, .first_span = first});
      length -= window - 1;
      before -= of_window;
    }
  }
};

/// A rectangle is a row and a column.
Passes PassesOf(const StructuringElement& element) {
  Passes passes;
  const auto [width, height] = element.size;
  const int left = width / 2, top = height / 2;
  if (element.shape == StructuringElement::Shape::kRectangle) {
    passes.AddLine(width, left, false);
    passes.AddLine(height, top, true);
    return passes;
  }
  const std::vector<std::uint8_t> cells = element.Rasterise();
  for (int y = 0; y < height; ++y) {
    const auto row = cells.begin() + std::ptrdiff_t{y} * width;
    for (auto begin = std::find(row, row + width, 1); begin != row + width;) {
      const auto end = std::find(begin, row + width, 0);
      passes.spans.push_back({.dy = y - top,
                              .begin = static_cast<int>(begin - row) - left,
                              .end = static_cast<int>(end - row) - left});
      begin = std::find(end, row + width, 1);
    }
  }
  passes.AddSpans();
  return passes;
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

class GpuMorphology final : public GpuStage<MorphologyStage> {
 public:
  using GpuStage::GpuStage;

  absl::StatusOr<Plane> Run(const Plane& input, MorphologyOp op, const StructuringElement& element,
                            int iterations) override {
    GLINT_RETURN_IF_ERROR(
        CheckPlane("morphology: input", input, PixelType::kU8, context_->device()));
    GLINT_RETURN_IF_ERROR(CheckSize("morphology: element", element.size));
    if (iterations < 1) {
      return Error(Reason::kInternal,
                   fmt::format("morphology: {} iterations; there must be at least 1", iterations));
    }
    const Passes passes = PassesOf(element);
    Plane result, other;
    GLINT_ASSIGN_OR_RETURN(result, context_->NewPlane(input.size(), PixelType::kU8));
    GLINT_ASSIGN_OR_RETURN(other, context_->NewPlane(input.size(), PixelType::kU8));
    Block table;
    GLINT_ASSIGN_OR_RETURN(table, context_->Allocate<ElementSpan>(passes.spans.size()));
    GLINT_RETURN_IF_ERROR(Finish(*context_, [&]() -> absl::Status {
      GLINT_RETURN_IF_ERROR(context_->CopyIn(table, std::span<const ElementSpan>(passes.spans)));
      const Plane* in = &input;
      for (const bool largest : StepsOf(op)) {
        for (int i = 0; i < iterations; ++i) {
          for (const Pass& pass : passes.list) {
            GLINT_RETURN_IF_ERROR(
                Run(pass, *in, other, ValuesOf<const ElementSpan>(table), largest));
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
  static Grid GridOf(const Plane& plane) { return {.x = Tiles(plane.width(), plane.height())}; }

  absl::Status Run(const Pass& pass, const Plane& in, const Plane& out, const ElementSpan* spans,
                   bool largest) {
    if (pass.window == 0) {
      return context_->stream().Run(MorphologyPassKernel{.in = ImageOf<const std::uint8_t>(in),
                                                         .out = ImageOf<std::uint8_t>(out),
                                                         .spans = spans + pass.first_span,
                                                         .span_count = pass.span_count,
                                                         .largest = largest},
                                    GridOf(in));
    }
    const VanHerkKernel kernel{.in = ImageOf<const std::uint8_t>(in),
                               .out = ImageOf<std::uint8_t>(out),
                               .vertical = pass.vertical,
                               .window = pass.window,
                               .before = pass.before,
                               .largest = largest};
    return context_->stream().Run(kernel, {.x = kernel.BlockColumns()});
  }

  /// The rest of a top-hat or black-hat.
  absl::Status Subtract(const Plane& input, MorphologyOp op, Plane& result, Plane& other) {
    const bool top_hat = op == MorphologyOp::kTopHat;
    if (!top_hat && op != MorphologyOp::kBlackHat) return absl::OkStatus();
    const DifferenceKernel kernel{.a = ImageOf<const std::uint8_t>(top_hat ? input : result),
                                  .b = ImageOf<const std::uint8_t>(top_hat ? result : input),
                                  .out = ImageOf<std::uint8_t>(other)};
    std::swap(result, other);
    return context_->stream().Run(kernel, GridOf(input));
  }
};

}  // namespace

GLINT_DEFINE_GPU_STAGE(Morphology, GpuMorphology)

}  // namespace glint::cuda
