// SPDX-License-Identifier: Apache-2.0
#include "stages/parity.h"

#include <algorithm>
#include <iterator>
#include <opencv2/imgproc.hpp>

#include "base/mat.h"
#include "stages/cuda/backend.h"
#include "stages/cuda/probe.h"
#include "stages/cuda/simulated_gpu.h"
#include "support/needs_gpu.h"
#include "support/plane_compare.h"
#include "support/status_matchers.h"

namespace glint {
namespace {

constexpr std::string_view kSimulated = "cuda_simulated";

absl::StatusOr<std::unique_ptr<Backend>> MakeSimulated(const BackendOptions&) {
  return cuda::MakeBackend(
      [] { return cuda::MakeSimulatedGpu(std::make_shared<cuda::SimulatedFaults>()); });
}

absl::Status ProbeSimulated(const BackendOptions&) {
  return cuda::SelfTest(*cuda::MakeSimulatedGpu(std::make_shared<cuda::SimulatedFaults>()));
}

std::vector<BackendEntry> TestedBackends() {
  std::vector<BackendEntry> tested;
  std::ranges::copy_if(BackendTable(), std::back_inserter(tested), &BackendEntry::exact);
  tested.push_back({kSimulated, &ProbeSimulated, &MakeSimulated});
  return tested;
}

std::vector<std::string> BackendNames() {
  std::vector<std::string> names;
  for (const BackendEntry& entry : TestedBackends()) names.emplace_back(entry.name);
  return names;
}

bool MustWork(std::string_view backend) {
  return backend == "cpu" || backend == kSimulated || GpuIsRequired();
}

}  // namespace

INSTANTIATE_TEST_SUITE_P(Backends, Parity, testing::ValuesIn(BackendNames()),
                         [](const auto& test) { return test.param; });

void Parity::SetUp() {
  const auto table = TestedBackends();
  const auto entry = std::ranges::find(table, GetParam(), &BackendEntry::name);
  ASSERT_NE(entry, table.end());
  const BackendOptions options{.pool = &pool_};
  if (const absl::Status probed = entry->probe(options); !probed.ok()) {
    if (MustWork(GetParam())) FAIL() << GetParam() << " must work: " << Message(probed);
    GTEST_SKIP() << GetParam() << " does not work here: " << Message(probed);
  }
  auto made = entry->make(options);
  ASSERT_THAT(made, IsOk());
  backend_ = *std::move(made);
  ASSERT_EQ(backend_->name(), GetParam() == kSimulated ? "cuda" : GetParam());
}

Plane Parity::Upload(const Plane& host) {
  auto plane = backend_->Upload(host);
  EXPECT_THAT(plane, IsOk());
  return plane.ok() ? *plane : Plane();
}

Plane Parity::Download(const Plane& plane) {
  auto host = backend_->Download(plane);
  EXPECT_THAT(host, IsOk());
  return host.ok() ? *host : Plane();
}

std::vector<Size> TrickySizes() {
  return {{1, 1}, {1, 2},   {2, 1},   {2, 2},   {1, 17},   {17, 1},  {3, 3},    {5, 5},
          {7, 4}, {16, 16}, {33, 65}, {64, 64}, {130, 67}, {320, 9}, {255, 129}};
}

Plane Drawn(const std::vector<std::string>& rows) {
  const Size size{static_cast<int>(rows.front().size()), static_cast<int>(rows.size())};
  Plane plane = Plane::Host(size, PixelType::kU8);
  for (int y = 0; y < size.height; ++y) {
    std::ranges::transform(rows[static_cast<std::size_t>(y)], plane.Row<std::uint8_t>(y),
                           [](char c) { return static_cast<std::uint8_t>(c == '#' ? 255 : 0); });
  }
  return plane;
}

Plane ColourNoise(Size size, std::uint32_t seed) {
  const Plane bytes = NoisePlane({size.width * 3, size.height}, seed);
  Plane plane = Plane::Host(size, PixelType::kU8x3);
  for (int y = 0; y < size.height; ++y) {
    std::copy_n(bytes.Row<std::uint8_t>(y), size.width * 3, plane.Row<std::uint8_t>(y));
  }
  return plane;
}

Plane Texture(Size size, std::uint32_t seed) {
  cv::Mat blurred;
  cv::GaussianBlur(AsMat(NoisePlane(size, seed)), blurred, {0, 0}, 3);
  cv::normalize(blurred, blurred, 20, 235, cv::NORM_MINMAX);
  return AsPlane(blurred);
}

}  // namespace glint
