// SPDX-License-Identifier: Apache-2.0
#include "stages/cuda/probe.h"

#include <fmt/format.h>

#include <span>

#include "glint/error.h"
#include "stages/absent_device.h"
#include "stages/cuda/context.h"
#include "stages/cuda/kernels/self_test.h"
#include "stages/cuda/run_on_host.h"

namespace glint::cuda {
namespace {

absl::Status Unavailable(const std::string& message) {
  return Error(Reason::kDeviceUnavailable, message);
}

/// "535.104.05 ", or nothing where it is unknown.
std::string ReleaseOf(CudaRuntime& runtime) {
  const std::string release = runtime.DriverRelease();
  return release.empty() ? "" : release + " ";
}

/// There is a driver, and it is new enough.
absl::Status CheckDriver(CudaRuntime& runtime, const GpuCode& code) {
  int version = 0;
  const CudaError error = runtime.DriverVersion(version);
  if (version == 0) {
    return Absent(Unavailable(
        "no NVIDIA driver is installed (or this container was started without its GPU); install "
        "the driver, or start the container with --gpus all"));
  }
  const int needed = runtime.RuntimeVersion();
  if (error == CudaError::kInsufficientDriver || version / 1000 < needed / 1000) {
    return Unavailable(fmt::format(
        "the NVIDIA driver {}is too old: it supports CUDA {}, and this program's runtime, {}, "
        "needs driver {} or newer; update the driver, or build with an older CUDA{}",
        ReleaseOf(runtime), CudaVersionText(version), CudaVersionText(needed), code.least_driver,
        runtime.DriverRelease().empty() ? " (its kernel module is not loaded either: "
                                          "/proc/driver/nvidia is missing)"
                                        : ""));
  }
  if (error == CudaError::kSuccess) return absl::OkStatus();
  return Unavailable("the NVIDIA driver does not say its version: " + runtime.Explain(error));
}

absl::Status CheckCount(CudaRuntime& runtime, int ordinal) {
  int count = 0;
  const CudaError error = runtime.CountGpus(count);
  if (error == CudaError::kNoDevice || (error == CudaError::kSuccess && count == 0)) {
    if (runtime.DriverRelease().empty()) {
      return Unavailable(
          "of the NVIDIA driver only the libraries are here, not its kernel module "
          "(/proc/driver/nvidia is missing); install and load it (modprobe nvidia), or start the "
          "container with --gpus all");
    }
    return Unavailable(
        "the NVIDIA driver works, but sees no GPU: CUDA_VISIBLE_DEVICES hides it (unset it), or "
        "MIG is on and has no instance (nvidia-smi mig -cgi makes one, nvidia-smi -mig 0 turns it "
        "off)");
  }
  if (error != CudaError::kSuccess) {
    return Unavailable("the NVIDIA driver cannot list GPUs: " + runtime.Explain(error));
  }
  if (ordinal < count) return absl::OkStatus();
  return Unavailable(
      fmt::format("there is no GPU {}; this machine has {} (0 to {})", ordinal, count, count - 1));
}

std::string NameOf(const GpuInfo& info) {
  return fmt::format("GPU {} ({}, sm_{}{})", info.ordinal, info.name, info.major, info.minor);
}

/// This program holds code for the GPU, or PTX that the driver understands.
absl::Status CheckCode(CudaRuntime& runtime, const GpuCode& code, const GpuInfo& info) {
  const CodeFor found = FindCode(code, info.major, info.minor);
  if (found == CodeFor::kNone) {
    return Unavailable(fmt::format(
        "this program holds no code for {}, but for sm {}, and PTX of sm_{} for newer ones; "
        "use one of those, or build with -D GLINT_CUDA_ARCHITECTURES={}{}, if CUDA {} knows it",
        NameOf(info), ListOf(code.sms), code.ptx, info.major, info.minor,
        CudaVersionText(code.runtime)));
  }
  int version = 0;
  const CudaError error = runtime.DriverVersion(version);
  if (error != CudaError::kSuccess || found == CodeFor::kOwn || version >= code.runtime) {
    return absl::OkStatus();
  }
  return Unavailable(fmt::format(
      "this program holds only PTX of CUDA {} for {}, and the NVIDIA driver {}knows none newer "
      "than "
      "that of CUDA {}; update the driver, or build with that architecture",
      CudaVersionText(code.runtime), NameOf(info), ReleaseOf(runtime), CudaVersionText(version)));
}

absl::Status ExplainStart(CudaRuntime& runtime, const GpuInfo& info, CudaError error) {
  const std::string gpu = NameOf(info);
  switch (error) {
    case CudaError::kSuccess:
      return absl::OkStatus();
    case CudaError::kMemoryAllocation:
      return Error(Reason::kOutOfMemory,
                   fmt::format("{} has no memory left for another program", gpu));
    case CudaError::kDevicesUnavailable:
      return Unavailable(
          fmt::format("{} is busy: another program has it for itself; end that, or let several "
                      "programs use it (nvidia-smi -c DEFAULT)",
                      gpu));
    case CudaError::kNoKernelImageForDevice:
    case CudaError::kUnsupportedPtxVersion:
      return Unavailable(
          fmt::format("this program holds no code for {}; build it with that architecture", gpu));
    case CudaError::kInsufficientDriver:
    case CudaError::kNoDevice:
    case CudaError::kInvalidDevice:
      break;
  }
  return Unavailable(fmt::format("{} does not start: {}", gpu, runtime.Explain(error)));
}

absl::StatusOr<std::uint64_t> AnswerOf(Gpu& gpu, SelfTestKernel kernel) {
  std::unique_ptr<Stream> stream;
  GLINT_ASSIGN_OR_RETURN(stream, gpu.MakeStream());
  std::byte* memory = nullptr;
  GLINT_ASSIGN_OR_RETURN(memory, gpu.Allocate(sizeof(std::uint64_t)));
  kernel.sum = reinterpret_cast<std::uint64_t*>(memory);
  std::uint64_t answer = 0;
  const auto run = [&]() -> absl::Status {
    GLINT_RETURN_IF_ERROR(stream->Clear(memory, sizeof answer));
    GLINT_RETURN_IF_ERROR(stream->Run(kernel, {.x = SelfTestKernel::kBlocks}));
    return stream->CopyOut({std::as_writable_bytes(std::span(&answer, 1)).data(), 0}, {memory, 0},
                           sizeof answer, 1);
  };
  absl::Status status = run();
  const absl::Status waited = stream->Wait();
  gpu.Free(memory);
  if (status.ok()) status = waited;
  if (!status.ok()) return status;
  return answer;
}

}  // namespace

absl::Status SelfTest(Gpu& gpu) {
  std::uint64_t expected = 0;
  const SelfTestKernel kernel{.seed = 20240229, .sum = &expected};
  RunOnHost(kernel, {.x = SelfTestKernel::kBlocks});
  const auto answer = AnswerOf(gpu, kernel);
  if (!answer.ok()) return In("the self-test kernel failed", answer.status());
  if (*answer == expected) return absl::OkStatus();
  return Unavailable(
      fmt::format("GPU {} ({}) computes wrongly: the self-test kernel gives {:016x} instead of "
                  "{:016x}",
                  gpu.info().ordinal, gpu.info().name, *answer, expected));
}

int CountGpus(CudaRuntime& runtime) {
  int count = 0;
  return runtime.CountGpus(count) == CudaError::kSuccess ? count : 0;
}

absl::StatusOr<std::shared_ptr<Gpu>> OpenChecked(CudaRuntime& runtime, const GpuCode& code,
                                                 int ordinal) {
  GLINT_RETURN_IF_ERROR(CheckDriver(runtime, code));
  GLINT_RETURN_IF_ERROR(CheckCount(runtime, ordinal));
  GpuInfo info{.ordinal = ordinal};
  if (const CudaError error = runtime.Describe(ordinal, info); error != CudaError::kSuccess) {
    return Unavailable(
        fmt::format("GPU {} does not describe itself: {}", ordinal, runtime.Explain(error)));
  }
  GLINT_RETURN_IF_ERROR(CheckCode(runtime, code, info));
  GLINT_RETURN_IF_ERROR(ExplainStart(runtime, info, runtime.Start(ordinal)));
  std::shared_ptr<Gpu> gpu;
  GLINT_ASSIGN_OR_RETURN(gpu, runtime.Open(ordinal));
  GLINT_RETURN_IF_ERROR(SelfTest(*gpu));
  return gpu;
}

}  // namespace glint::cuda
