// SPDX-License-Identifier: Apache-2.0
// What every kernel costs, by its PTX, per pixel of the stage that runs it: one line of JSON per
// stage and kernel. bench/scripts/kernel_table.py makes tables of it.
//   kernel_counts [WIDTH HEIGHT]     default: 320 180
#include <cxxabi.h>
#include <fmt/format.h>

#include <cstdlib>
#include <memory>

#include "bench/timing/stage_work.h"
#include "stages/cuda/entry.h"
#include "stages/cuda/ptx/host_cuda.h"

namespace glint::cuda::ptx {
namespace {

/// "IterateFlow" of a symbol that stands for Entry<IterateFlowKernel>.
std::string KernelOf(const std::string& symbol) {
  int failed = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &failed), &std::free);
  if (failed != 0) return symbol;
  const std::string name(text.get());
  const std::size_t end = name.find("Kernel>(");
  const std::size_t start = name.rfind("::", end);
  return end == std::string::npos || start == std::string::npos
             ? name
             : name.substr(start + 2, end - start - 2);
}

void Print(const StageWork& work, const std::string& symbol, const Counts& counts, double pixels) {
  std::string kinds;
  for (std::size_t i = 0; i < kKinds; ++i) {
    kinds += fmt::format("{}\"{}\":{:.3f}", i == 0 ? "" : ",", NameOf(static_cast<Kind>(i)),
                         static_cast<double>(counts.instructions[i]) / pixels);
  }
  fmt::print(
      "{{\"stage\":\"{}\",\"kernel\":\"{}\",\"symbol\":\"{}\",\"pixels\":{:.0f},\"blocks\":{},"
      "\"per_pixel\":{{{}}},"
      "\"issued\":{},\"issued_float\":{},\"issued_integer\":{},\"branches\":{},\"divergent\":{},"
      "\"barriers\":{},\"useful_bytes\":{},\"sectors\":{},\"footprint_bytes\":{},\"passes\":{},"
      "\"least_passes\":{}}}\n",
      work.stage, KernelOf(symbol), symbol, pixels, counts.blocks, kinds, counts.issued,
      counts.issued_float, counts.issued_integer, counts.branches, counts.divergent,
      counts.barriers, counts.useful_bytes, counts.sectors, counts.footprint_bytes, counts.passes,
      counts.least_passes);
}

absl::Status Count(Size size) {
  const auto backend = Make({});
  if (!backend.ok()) return backend.status();
  const BenchScene scene = BenchScene::Make(size, 5);
  const auto works = StageWorks(**backend, scene);
  if (!works.ok()) return works.status();
  for (const StageWork& work : *works) {
    std::map<std::string, Counts, std::less<>> counts;
    HostCuda::Get().counts = &counts;
    absl::Status done = work.run();
    HostCuda::Get().counts = nullptr;
    if (!done.ok()) return done;
    for (const auto& [symbol, of_kernel] : counts) {
      Print(work, symbol, of_kernel, static_cast<double>(size.area()) * work.frames);
    }
  }
  return absl::OkStatus();
}

}  // namespace
}  // namespace glint::cuda::ptx

int main(int argc, char** argv) {
  glint::Size size{320, 180};
  if (argc == 3) size = {std::atoi(argv[1]), std::atoi(argv[2])};
  const absl::Status done = glint::cuda::ptx::Count(size);
  if (!done.ok()) fmt::print(stderr, "kernel_counts: {}\n", done.ToString());
  return done.ok() ? 0 : 1;
}
