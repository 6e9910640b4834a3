// SPDX-License-Identifier: Apache-2.0
#include "stages/cuda/measure_in_batches.h"

#include <cmath>
#include <deque>

#include "support/plane_compare.h"
#include "support/status_matchers.h"

namespace glint::cuda {

std::vector<Plane> Frames(int count, Size size) {
  std::vector<Plane> frames;
  for (int i = 0; i < count; ++i) {
    const Plane frame = NoisePlane(size, static_cast<unsigned>(i));
    for (int y = 0; y < size.height; ++y) {
      for (int x = 0; x < size.width; ++x) {
        std::uint8_t& value = frame.Row<std::uint8_t>(y)[x];
        const double wave = std::sin((x + 0.3 * i) / 4) + std::cos((y - 0.2 * i) / 5);
        const int noise = value / 16;
        value = static_cast<std::uint8_t>(120 + 50 * wave + noise);
      }
    }
    frames.push_back(frame);
  }
  return frames;
}

absl::StatusOr<Measures> Measure(MeasureStage& stage, std::span<const Plane> frames,
                                 std::span<const std::size_t> batches, bool motion) {
  Measures measures;
  std::deque<std::size_t> under_way;
  const auto end = [&]() -> absl::Status {
    std::vector<LumaStatistics> statistics(under_way.front());
    std::vector<double> lengths(motion ? under_way.front() : 0);
    under_way.pop_front();
    absl::Status status = stage.End(statistics, lengths);
    measures.statistics.insert(measures.statistics.end(), statistics.begin(), statistics.end());
    measures.lengths.insert(measures.lengths.end(), lengths.begin(), lengths.end());
    return status;
  };
  for (const std::size_t count : batches) {
    if (std::ssize(under_way) == stage.most_in_flight()) {
      if (absl::Status status = end(); !status.ok()) return status;
    }
    if (absl::Status status = stage.Begin(frames.first(count), motion); !status.ok()) return status;
    frames = frames.subspan(count);
    under_way.push_back(count);
  }
  while (!under_way.empty()) {
    if (absl::Status status = end(); !status.ok()) return status;
  }
  return measures;
}

Measures MeasuringTest::ExpectTheCpusNumbers(std::span<const Plane> frames,
                                             std::span<const std::size_t> batches, bool motion) {
  const auto expected = Measure(*OnCpu(), frames, batches, motion);
  EXPECT_THAT(expected, IsOk());
  const auto found = Measure(*OnGpu(), frames, batches, motion);
  EXPECT_THAT(found, IsOk());
  if (!expected.ok() || !found.ok()) return {};
  EXPECT_EQ(found->statistics, expected->statistics);
  EXPECT_EQ(found->lengths, expected->lengths);
  return *found;
}

}  // namespace glint::cuda
