// SPDX-License-Identifier: Apache-2.0
// What every kernel costs, by its PTX, per pixel of the stage that runs it: one line of JSON per
// stage and kernel. bench/scripts/kernel_table.py makes tables of it.
//   kernel_counts [WIDTH HEIGHT [STAGE]]     default: 320 180, all stages
#include <cxxabi.h>
#include <fmt/format.h>

#include <cstdlib>
#include <memory>
#include <string_view>

#include "bench/timing/stage_work.h"
#include "stages/cuda/entry.h"
#include "stages/cuda/ptx/host_cuda.h"
#include "stages/cuda/ptx/print_counts.h"

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

absl::Status Count(Size size, std::string_view only) {
  const auto backend = Make({});
  if (!backend.ok()) return backend.status();
  const BenchScene scene = BenchScene::Make(size, 5);
  const auto works = StageWorks(**backend, scene);
  if (!works.ok()) return works.status();
  for (const StageWork& work : *works) {
    if (!only.empty() && work.stage != only) continue;
    std::map<std::string, Counts, std::less<>> counts;
    HostCuda::Get().counts = &counts;
    absl::Status done = work.run();
    HostCuda::Get().counts = nullptr;
    if (!done.ok()) return done;
    for (const auto& [symbol, of_kernel] : counts) {
      PrintCounts(work.stage, KernelOf(symbol), symbol, of_kernel,
                  static_cast<double>(size.area()) * work.frames);
    }
  }
  return absl::OkStatus();
}

}  // namespace
}  // namespace glint::cuda::ptx

int main(int argc, char** argv) {
  glint::Size size{320, 180};
  if (argc >= 3) size = {std::atoi(argv[1]), std::atoi(argv[2])};
  const absl::Status done = glint::cuda::ptx::Count(size, argc >= 4 ? argv[3] : "");
  if (!done.ok()) fmt::print(stderr, "kernel_counts: {}\n", done.ToString());
  return done.ok() ? 0 : 1;
}
