// SPDX-License-Identifier: Apache-2.0
#include "stages/cuda/flow_memory.h"

#include <algorithm>
#include <cstring>
#include <span>

namespace glint::cuda {
namespace {

using farneback::Geometry;
using farneback::kCoefficients;
using farneback::LevelGeometry;

constexpr int kFlowPlanes = 2;

FlowLevel ShapeOf(const LevelGeometry& level) {
  constexpr int kAlignment = 32;  // floats of a memory transaction
  return {.width = level.size.width,
          .height = level.size.height,
          .pitch = CeilDiv(level.size.width, kAlignment) * kAlignment,
          .x = {},
          .y = {}};
}

/// Floats of a level: expansions, images and flow.
struct LevelFloats {
  LevelFloats(const LevelGeometry& level, bool finest, int pairs) {
    const auto plane = static_cast<std::size_t>(ShapeOf(level).PlaneFloats());
    const auto count = static_cast<std::size_t>(pairs);
    expansions = (count + 1) * kCoefficients * plane;
    images = finest ? 0 : count * plane;
    flow = count * kFlowPlanes * plane;
  }
  std::size_t expansions;
  std::size_t images;
  std::size_t flow;  ///< of each of the two
};

/// Tables side by side, as they will lie on the GPU.
class Tables {
 public:
  /// @return where the values begin, in bytes
  template <class T>
  std::size_t Add(const std::vector<T>& values) {
    const std::size_t at = bytes_.size();
    bytes_.resize(at + values.size() * sizeof(T));
    if (!values.empty()) std::memcpy(bytes_.data() + at, values.data(), values.size() * sizeof(T));
    return at;
  }
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

/// Where the tables of one axis of a level begin.
struct AxisPlaces {
  AxisPlaces(Tables& tables, const LevelGeometry& level, std::size_t axis)
      : border_weights(tables.Add(axis == 0 ? level.column_weights : level.row_weights)) {
    if (!level.reduce.empty()) {
      taps = level.reduce[axis].taps;
      reduce_first = tables.Add(level.reduce[axis].first);
      reduce_weights = tables.Add(level.reduce[axis].weights);
    }
    if (!level.enlarge.empty()) {
      enlarge_first = tables.Add(level.enlarge[axis].first);
      enlarge_fraction = tables.Add(level.enlarge[axis].fraction);
    }
  }

  AxisTables On(const std::byte* gpu) const {
    const auto ints = [&](std::size_t at) { return reinterpret_cast<const int*>(gpu + at); };
    const auto floats = [&](std::size_t at) { return reinterpret_cast<const float*>(gpu + at); };
    return {.reduce_first = ints(reduce_first),
            .reduce_weights = floats(reduce_weights),
            .taps = taps,
            .enlarge_first = ints(enlarge_first),
            .enlarge_fraction = floats(enlarge_fraction),
            .border_weights = floats(border_weights)};
  }

  int taps = 0;
  std::size_t border_weights;
  std::size_t reduce_first = 0;
  std::size_t reduce_weights = 0;
  std::size_t enlarge_first = 0;
  std::size_t enlarge_fraction = 0;
};

absl::Status CopyTables(StreamContext& context, const Geometry& geometry, FlowMemory& memory) {
  Tables tables;
  std::vector<AxisPlaces> places;
  for (const LevelGeometry& level : geometry.levels) {
    places.emplace_back(tables, level, 0);
    places.emplace_back(tables, level, 1);
  }
  GLINT_ASSIGN_OR_RETURN(memory.tables, context.Allocate<std::byte>(tables.bytes().size()));
  for (std::size_t k = 0; k < memory.levels.size(); ++k) {
    memory.levels[k].shape.x = places[2 * k].On(memory.tables.get());
    memory.levels[k].shape.y = places[2 * k + 1].On(memory.tables.get());
  }
  return Finish(context, [&] { return context.CopyIn(memory.tables, tables.bytes()); });
}

}  // namespace

std::size_t FlowBytes(const Geometry& geometry, int pairs) {
  std::size_t floats = 0;
  for (const LevelGeometry& level : geometry.levels) {
    const LevelFloats of(level, &level == &geometry.levels.front(), pairs);
    floats += of.expansions + of.images + 2 * of.flow;
  }
  return floats * sizeof(float);
}

int PlanPairs(const Geometry& geometry, std::size_t budget) {
  // The rest is for frames, the other stages, and other scans on this GPU.
  constexpr std::size_t kShare = 4;
  int pairs = kMaxPairs;
  while (pairs > 1 && FlowBytes(geometry, pairs) > budget / kShare) pairs /= 2;
  return pairs;
}

absl::StatusOr<FlowMemory> FlowMemory::Make(StreamContext& context, const Geometry& geometry,
                                            int pairs) {
  FlowMemory memory{.size = geometry.levels.front().size, .pairs = pairs, .slots = pairs + 1};
  for (const LevelGeometry& geometry_level : geometry.levels) {
    const bool finest = memory.levels.empty();
    const LevelFloats floats(geometry_level, finest, pairs);
    Level level{.shape = ShapeOf(geometry_level)};
    GLINT_ASSIGN_OR_RETURN(level.expansions, context.Allocate<float>(floats.expansions));
    GLINT_ASSIGN_OR_RETURN(level.images, context.Allocate<float>(floats.images));
    for (Block& flow : level.flow) {
      GLINT_ASSIGN_OR_RETURN(flow, context.Allocate<float>(floats.flow));
    }
    memory.levels.push_back(std::move(level));
  }
  GLINT_RETURN_IF_ERROR(CopyTables(context, geometry, memory));
  return memory;
}

}  // namespace glint::cuda
