// SPDX-License-Identifier: Apache-2.0
// Which device a scan takes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "base/thread_pool.h"
#include "glint/device_pool.h"
#include "glint/tuning.h"
#include "scan/simulated_devices.h"

namespace glint {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr Size kSmall{640, 360}, kMiddle{1280, 720}, kLarge{1920, 1080};

TEST(Devices, AreTakenInTurnAndGivenBack) {
  using Faults = cuda::SimulatedFaults;
  DevicePool devices(Gpus({std::make_shared<Faults>(), std::make_shared<Faults>()}));
  auto first = devices.Take(kSmall), second = devices.Take(kSmall), third = devices.Take(kSmall);
  EXPECT_EQ(first->name, "cuda:0");
  EXPECT_EQ(second->name, "cuda:1");
  EXPECT_EQ(third->name, "cuda:0");
  second.reset();
  EXPECT_EQ(devices.Take(kSmall)->name, "cuda:1");
  first.reset();
  third.reset();
  EXPECT_EQ(devices.Take(kSmall)->name, "cuda:0");
}

TEST(Devices, OneThatIsLostForGoodIsTakenOnlyWhenAllAre) {
  const auto lost = std::make_shared<cuda::SimulatedFaults>();
  const auto works = std::make_shared<cuda::SimulatedFaults>();
  DevicePool devices(Gpus({lost, works}));
  const Plane host = Plane::Host({16, 16}, PixelType::kU8);
  lost->lost = true;
  EXPECT_EQ(devices.Take(kSmall)->name, "cuda:0") << "it may be opened anew";
  EXPECT_THAT(devices.devices()[0].backend->Upload(host),
              FailsWith(Reason::kDeviceUnavailable, testing::_));
  EXPECT_EQ(devices.Take(kSmall)->name, "cuda:1");
  const auto busy = devices.Take(kSmall);
  EXPECT_EQ(devices.Take(kSmall)->name, "cuda:1");
  works->lost = true;
  EXPECT_THAT(devices.devices()[1].backend->Upload(host),
              FailsWith(Reason::kDeviceUnavailable, testing::_));
  EXPECT_EQ(devices.Take(kSmall)->name, "cuda:0");
}

TEST(Devices, APlaneOfOneGpuIsRefusedByAnother) {
  using Faults = cuda::SimulatedFaults;
  const auto devices = Gpus({std::make_shared<Faults>(), std::make_shared<Faults>()});
  Plane host = Plane::Host({16, 16}, PixelType::kU8);
  const auto on_first = devices[0].backend->Upload(host);
  ASSERT_THAT(on_first, IsOk());
  EXPECT_EQ(on_first->device().cuda, 0);
  EXPECT_THAT(devices[1].backend->Download(*on_first),
              FailsWith(Reason::kInternal, AllOf(HasSubstr("cuda:0"), HasSubstr("GPU 1"))));
  EXPECT_THAT((*devices[1].backend->MakeDetail())->Run(*on_first),
              FailsWith(Reason::kInternal, HasSubstr("cuda:0")));
}

absl::Status Works(const BackendOptions&) { return absl::OkStatus(); }
absl::StatusOr<std::unique_ptr<Backend>> MakeSimulated(const BackendOptions& options) {
  return cuda::MakeBackend(
      [ordinal = options.ordinal] {
        return cuda::MakeSimulatedGpu(std::make_shared<cuda::SimulatedFaults>(), ordinal);
      },
      options.tuning);
}
int CountTwo() { return 2; }

/// A machine with two GPUs, and devices that take as long as a test says.
class AutomaticDevices : public testing::Test {
 protected:
  absl::StatusOr<std::unique_ptr<DevicePool>> Open(std::string_view wanted,
                                                   const SampleTimer& timer) {
    const std::array table = {BackendEntry{"cuda", &Works, &MakeSimulated, &CountTwo},
                              BackendTable().back()};
    return OpenDevices(wanted, table, {.pool = &pool_, .tuning = tuning_},
                       [&](Backend& backend, Size size) {
                         ++timed_;
                         return timer(backend, size);
                       });
  }

  /// The CPU is faster up to a number of pixels.
  static SampleTimer CpuIsFasterUpTo(std::int64_t pixels) {
    return [pixels](Backend& backend, Size size) {
      const bool fast = backend.device().is_host() == (size.area() <= pixels);
      return fast ? 0.010 : 0.020;
    };
  }

  ThreadPool pool_{2};
  std::shared_ptr<Tuning> tuning_;
  int timed_ = 0;
};

TEST_F(AutomaticDevices, SmallFramesGoToTheCpuWhereThatIsFaster) {
  const auto devices = Open("auto", CpuIsFasterUpTo(kMiddle.area()));
  ASSERT_THAT(devices, IsOk());
  EXPECT_EQ((*devices)->Take(kSmall)->name, "cpu");
  EXPECT_EQ((*devices)->Take(kMiddle)->name, "cpu");
  EXPECT_EQ((*devices)->Take(kLarge)->name, "cuda:0");
  EXPECT_THAT((*devices)->Take(kSmall)->why,
              AllOf(HasSubstr("up to 921600 pixels"), HasSubstr("measured at the start")));
}

TEST_F(AutomaticDevices, AGpuThatIsAlwaysFasterGetsAllFrames) {
  const auto devices = Open("auto", CpuIsFasterUpTo(0));
  ASSERT_THAT(devices, IsOk());
  EXPECT_FALSE((*devices)->small_frames());
  EXPECT_EQ((*devices)->Take({16, 16})->name, "cuda:0");
}

TEST_F(AutomaticDevices, AGpuThatIsNeverFasterGetsNone) {
  const auto devices = Open("auto", CpuIsFasterUpTo(kLarge.area()));
  ASSERT_THAT(devices, IsOk());
  EXPECT_EQ((*devices)->Take({8192, 4320})->name, "cpu");
  EXPECT_THAT((*devices)->Take(kSmall)->why, HasSubstr("of any size"));
}

TEST_F(AutomaticDevices, AFastGpuAtASmallSizeEndsTheComparison) {
  // A CPU that is faster again for large frames is an accident of measuring.
  const auto odd = [](Backend& backend, Size size) {
    return backend.device().is_host() == (size == kLarge) ? 0.010 : 0.020;
  };
  const auto devices = Open("auto", odd);
  ASSERT_THAT(devices, IsOk());
  EXPECT_FALSE((*devices)->small_frames());
}

TEST_F(AutomaticDevices, WhatWasAskedForIsNotCompared) {
  const auto devices = Open("cuda", CpuIsFasterUpTo(kLarge.area()));
  ASSERT_THAT(devices, IsOk());
  EXPECT_EQ((*devices)->Take(kSmall)->name, "cuda:0");
  EXPECT_EQ(timed_, 0);
}

TEST_F(AutomaticDevices, ADeviceThatCannotBeTimedIsUsed) {
  const auto devices = Open("auto", [](Backend&, Size) -> absl::StatusOr<double> {
    return Error(Reason::kOutOfMemory, "full");
  });
  ASSERT_THAT(devices, IsOk());
  EXPECT_EQ((*devices)->Take(kSmall)->name, "cuda:0");
}

TEST_F(AutomaticDevices, WhatWasTunedIsNotMeasuredAgain) {
  const auto untuned = Open("cuda", CpuIsFasterUpTo(0));
  ASSERT_THAT(untuned, IsOk());
  const std::string device = (*untuned)->devices()[0].backend->description();
  tuning_ = std::make_shared<Tuning>();
  tuning_->Add(Tuning::CpuLimit{device, 2, kSmall.area()});
  tuning_->Add(Tuning::Batch{device, kLarge, false, 5});
  const auto devices = Open("auto", CpuIsFasterUpTo(kLarge.area()));
  ASSERT_THAT(devices, IsOk());
  EXPECT_EQ(timed_, 0);
  EXPECT_EQ((*devices)->Take(kSmall)->name, "cpu");
  EXPECT_THAT((*devices)->Take(kSmall)->why, HasSubstr("glint bench --tune"));
  const auto large = (*devices)->Take(kLarge);
  EXPECT_EQ(large->name, "cuda:0");
  const auto measure = *large->backend->MakeMeasure();
  EXPECT_EQ(measure->BestBatch(kLarge, false), 5);
  EXPECT_EQ(measure->BestBatch(kSmall, false), 16) << "not tuned";
}

TEST_F(AutomaticDevices, TheTuningOfOtherThreadsCountsForNothing) {
  const auto untuned = Open("cuda", CpuIsFasterUpTo(0));
  ASSERT_THAT(untuned, IsOk());
  tuning_ = std::make_shared<Tuning>();
  tuning_->Add(Tuning::CpuLimit{(*untuned)->devices()[0].backend->description(), 3, kLarge.area()});
  const auto devices = Open("auto", CpuIsFasterUpTo(0));
  ASSERT_THAT(devices, IsOk());
  EXPECT_GT(timed_, 0);
  EXPECT_EQ((*devices)->Take(kSmall)->name, "cuda:0");
}

TEST(SampleTimes, AreTakenOnEveryDevice) {
  ThreadPool pool(2);
  const auto cpu = SelectBackend("cpu", BackendTable(), {.pool = &pool});
  const auto gpus = Gpus({std::make_shared<cuda::SimulatedFaults>()});
  for (Backend* backend : {cpu->backend.get(), gpus[0].backend.get()}) {
    const auto seconds = TimeSample(*backend, {48, 32});
    ASSERT_THAT(seconds, IsOk());
    EXPECT_GT(*seconds, 0);
  }
}

}  // namespace
}  // namespace glint
