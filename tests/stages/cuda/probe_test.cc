// SPDX-License-Identifier: Apache-2.0
// Each way in which a GPU cannot be used has its own message.
#include "stages/cuda/probe.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "stages/cuda/kernels/self_test.h"
#include "stages/cuda/simulated_gpu.h"
#include "support/status_matchers.h"

namespace glint::cuda {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// A machine as a test wants it.
struct FakeRuntime final : CudaRuntime {
  CudaError DriverVersion(int& version) override {
    version = driver;
    return driver_error;
  }
  std::string DriverRelease() override { return release; }
  int RuntimeVersion() const override { return code.runtime; }
  CudaError CountGpus(int& gpus) override {
    gpus = count;
    return count_error;
  }
  CudaError Describe(int ordinal, GpuInfo& info) override {
    info = {.ordinal = ordinal, .name = "Test GPU", .pci = "", .major = major, .minor = minor};
    return describe_error;
  }
  CudaError Start(int) override {
    ++started;
    return start_error;
  }
  absl::StatusOr<std::shared_ptr<Gpu>> Open(int) override { return gpu; }
  std::string Explain(CudaError error) const override {
    return "error " + std::to_string(static_cast<int>(error));
  }

  GpuCode code = {.compiler = "13.0.88",
                  .runtime = 13000,
                  .sms = {75, 80, 90},
                  .ptx = 90,
                  .least_driver = "580"};
  std::string release = "550.54.14";
  int driver = 13000;
  int major = 8;
  int minor = 1;
  int count = 1;
  CudaError driver_error = CudaError::kSuccess;
  CudaError count_error = CudaError::kSuccess;
  CudaError describe_error = CudaError::kSuccess;
  CudaError start_error = CudaError::kSuccess;
  std::shared_ptr<SimulatedFaults> faults = std::make_shared<SimulatedFaults>();
  std::shared_ptr<Gpu> gpu = MakeSimulatedGpu(faults);
  int started = 0;
};

struct Case {
  const char* name;
  void (*prepare)(FakeRuntime&);
  Reason reason;
  std::vector<const char*> says;
};

class Probing : public testing::TestWithParam<Case> {};

TEST_P(Probing, SaysWhatIsWrong) {
  FakeRuntime runtime;
  GetParam().prepare(runtime);
  const auto gpu = OpenChecked(runtime, runtime.code, 0);
  for (const char* part : GetParam().says) {
    EXPECT_THAT(gpu, FailsWith(GetParam().reason, HasSubstr(part)));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Outcomes, Probing,
    testing::Values(Case{"DriverMissing",
                         [](FakeRuntime& r) { r.driver = 0; },
                         Reason::kDeviceUnavailable,
                         {"no NVIDIA driver is installed", "--gpus all"}},
                    Case{"DriverMissingWithAnError",
                         [](FakeRuntime& r) {
                           r.driver = 0;
                           r.driver_error = CudaError::kInsufficientDriver;
                         },
                         Reason::kDeviceUnavailable,
                         {"no NVIDIA driver is installed"}},
                    Case{"DriverTooOld",
                         [](FakeRuntime& r) { r.driver = 12080; },
                         Reason::kDeviceUnavailable,
                         {"driver 550.54.14 is too old", "supports CUDA 12.8",
                          "runtime, 13.0, needs driver 580 or newer"}},
                    Case{"DriverTooOldWithoutItsKernelModule",
                         [](FakeRuntime& r) {
                           r.driver = 12020;
                           r.release = "";
                         },
                         Reason::kDeviceUnavailable,
                         {"the NVIDIA driver is too old", "kernel module is not loaded either"}},
                    Case{"GpuTooOld",
                         [](FakeRuntime& r) { r.major = 6; },
                         Reason::kDeviceUnavailable,
                         {"no code for", "sm_61", "but for sm 75, 80, 90, and PTX of sm_90",
                          "build with -D GLINT_CUDA_ARCHITECTURES=61, if CUDA 13.0 knows it"}},
                    Case{"VoltaWhichNewerCudaNoLongerKnows",
                         [](FakeRuntime& r) {
                           r.major = 7;
                           r.minor = 0;
                         },
                         Reason::kDeviceUnavailable,
                         {"no code for", "sm_70", "use one of those"}},
                    Case{"PtxNewerThanTheDriver",
                         [](FakeRuntime& r) {
                           r.major = 12;
                           r.code.runtime = 13020;
                         },
                         Reason::kDeviceUnavailable,
                         {"only PTX of CUDA 13.2", "sm_121", "driver 550.54.14",
                          "that of CUDA 13.0"}},
                    Case{"NoGpu",
                         [](FakeRuntime& r) { r.count_error = CudaError::kNoDevice; },
                         Reason::kDeviceUnavailable,
                         {"sees no GPU", "unset it", "MIG is on", "nvidia-smi mig -cgi"}},
                    Case{"LibrariesWithoutTheKernelsModule",
                         [](FakeRuntime& r) {
                           r.count_error = CudaError::kNoDevice;
                           r.release = "";
                         },
                         Reason::kDeviceUnavailable,
                         {"only the libraries are here", "modprobe nvidia", "--gpus all"}},
                    Case{"NoneOfZero",
                         [](FakeRuntime& r) { r.count = 0; },
                         Reason::kDeviceUnavailable,
                         {"sees no GPU"}},
                    Case{"CannotList",
                         [](FakeRuntime& r) { r.count_error = static_cast<CudaError>(803); },
                         Reason::kDeviceUnavailable,
                         {"cannot list GPUs", "error 803"}},
                    Case{"Busy",
                         [](FakeRuntime& r) { r.start_error = CudaError::kDevicesUnavailable; },
                         Reason::kDeviceUnavailable,
                         {"busy", "Test GPU", "nvidia-smi -c DEFAULT"}},
                    Case{"OutOfMemory",
                         [](FakeRuntime& r) { r.start_error = CudaError::kMemoryAllocation; },
                         Reason::kOutOfMemory,
                         {"no memory left", "Test GPU"}},
                    Case{"NoCode",
                         [](FakeRuntime& r) { r.start_error = CudaError::kNoKernelImageForDevice; },
                         Reason::kDeviceUnavailable,
                         {"no code for", "sm_81"}},
                    Case{"Broken",
                         [](FakeRuntime& r) { r.start_error = static_cast<CudaError>(719); },
                         Reason::kDeviceUnavailable,
                         {"does not start", "error 719"}},
                    Case{"BreaksInTheSelfTest",
                         [](FakeRuntime& r) { r.faults->launches_left = 0; },
                         Reason::kDeviceUnavailable,
                         {"self-test kernel failed", "illegal address"}}),
    [](const auto& test) { return test.param.name; });

TEST(Probing, AWorkingGpuIsOpened) {
  FakeRuntime runtime;
  const auto gpu = OpenChecked(runtime, runtime.code, 0);
  ASSERT_THAT(gpu, IsOk());
  EXPECT_EQ(runtime.faults->in_use, 0) << "nothing of the self-test stays";
}

TEST(Probing, ANewerDriverOfTheSameMajorVersionWillDo) {
  FakeRuntime runtime;
  runtime.driver = 14010;
  EXPECT_THAT(OpenChecked(runtime, runtime.code, 0), IsOk());
}

TEST(Probing, ADriverFromBeforeTheBuildsCudaRunsCodeOfTheGpusOwn) {
  FakeRuntime runtime;
  runtime.code.runtime = 13020;
  EXPECT_THAT(OpenChecked(runtime, runtime.code, 0), IsOk());
}

TEST(Probing, AGpuThatIsNewerThanTheBuildGetsCodeFromPtx) {
  FakeRuntime runtime;
  runtime.major = 12;
  EXPECT_THAT(OpenChecked(runtime, runtime.code, 0), IsOk());
}

TEST(Probing, AGpuThatIsNotThereIsNotStarted) {
  FakeRuntime runtime;
  runtime.count = 2;
  EXPECT_THAT(OpenChecked(runtime, runtime.code, 1), IsOk());
  runtime.started = 0;
  EXPECT_THAT(OpenChecked(runtime, runtime.code, 2),
              FailsWith(Reason::kDeviceUnavailable,
                        AllOf(HasSubstr("no GPU 2"), HasSubstr("has 2 (0 to 1)"))));
  EXPECT_EQ(runtime.started, 0);
}

TEST(Probing, GpusAreCountedWhereTheDriverCanSay) {
  FakeRuntime runtime;
  runtime.count = 4;
  EXPECT_EQ(CountGpus(runtime), 4);
  runtime.count_error = CudaError::kInsufficientDriver;
  EXPECT_EQ(CountGpus(runtime), 0);
}

/// Adds one to whatever a kernel computed.
class WrongStream final : public Stream {
 public:
  explicit WrongStream(std::unique_ptr<Stream> right) : right_(std::move(right)) {}
  absl::Status CopyIn(Rows2d device, Rows2d host, std::size_t row_bytes, int rows) override {
    return right_->CopyIn(device, host, row_bytes, rows);
  }
  absl::Status CopyOut(Rows2d host, Rows2d device, std::size_t row_bytes, int rows) override {
    copied_ = host.first;
    return right_->CopyOut(host, device, row_bytes, rows);
  }
  absl::Status CopyPinnedToDevice(Rows2d device, Rows2d host, std::size_t row_bytes,
                                  int rows) override {
    return right_->CopyPinnedToDevice(device, host, row_bytes, rows);
  }
  absl::Status CopyDeviceToPinned(Rows2d host, Rows2d device, std::size_t row_bytes,
                                  int rows) override {
    return right_->CopyDeviceToPinned(host, device, row_bytes, rows);
  }
  absl::Status Record(Event& event) override { return right_->Record(event); }
  absl::Status WaitFor(const Event& event) override { return right_->WaitFor(event); }
  absl::Status Clear(std::byte* device, std::size_t bytes) override {
    return right_->Clear(device, bytes);
  }
  absl::Status Wait() override {
    absl::Status done = right_->Wait();
    copied_[0] ^= std::byte{1};
    return done;
  }

  absl::StatusOr<std::unique_ptr<Graph>> InstantiateGraph(const CapturedWork& sequence) override {
    return right_->InstantiateGraph(sequence);
  }
  absl::Status LaunchGraph(Graph& graph) override { return right_->LaunchGraph(graph); }
  absl::Status Launch(KernelId, const void* arguments, std::size_t, Grid grid) override {
    SelfTestKernel kernel;
    std::memcpy(static_cast<void*>(&kernel), arguments, sizeof kernel);
    return right_->Run(kernel, grid);
  }

 private:
  std::unique_ptr<Stream> right_;
  std::byte* copied_ = nullptr;
};

class WrongGpu final : public Gpu {
 public:
  explicit WrongGpu(std::shared_ptr<Gpu> right) : right_(std::move(right)) {}
  const GpuInfo& info() const override { return right_->info(); }
  absl::StatusOr<std::size_t> FreeMemory() override { return right_->FreeMemory(); }
  absl::StatusOr<std::byte*> Allocate(std::size_t bytes) override {
    return right_->Allocate(bytes);
  }
  void Free(std::byte* memory) noexcept override { right_->Free(memory); }
  absl::StatusOr<std::unique_ptr<Stream>> MakeStream() override {
    auto stream = right_->MakeStream();
    if (!stream.ok()) return stream.status();
    return std::make_unique<WrongStream>(*std::move(stream));
  }
  absl::StatusOr<std::byte*> AllocateHost(std::size_t bytes) override {
    return right_->AllocateHost(bytes);
  }
  void FreeHost(std::byte* memory) noexcept override { right_->FreeHost(memory); }
  absl::StatusOr<std::unique_ptr<Event>> MakeEvent() override { return right_->MakeEvent(); }
  bool IsLost() const override { return false; }

 private:
  std::shared_ptr<Gpu> right_;
};

TEST(Probing, AGpuThatAddsWronglyIsFoundOut) {
  FakeRuntime runtime;
  runtime.gpu = std::make_shared<WrongGpu>(runtime.gpu);
  EXPECT_THAT(OpenChecked(runtime, runtime.code, 0),
              FailsWith(Reason::kDeviceUnavailable,
                        AllOf(HasSubstr("computes wrongly"), HasSubstr("instead of"))));
}

}  // namespace
}  // namespace glint::cuda
