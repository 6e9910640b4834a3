// SPDX-License-Identifier: Apache-2.0
// How long a finished result takes to its place: delivers one as the worker does, several times,
// each under a prefix of its own. bench/scripts/store_latency.py runs it behind a slow network.
//   store_bench PLACE [OBJECTS] [BYTES] [ROUNDS]
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <string>

#include "glint/error.h"
#include "glint/open_store.h"
#include "workers/deliveries.h"

namespace glint {
namespace {

using Clock = std::chrono::steady_clock;

std::shared_ptr<const KeptResult> Result(const Job& job, int objects, std::size_t bytes) {
  const auto writer = KeptResults("").Begin(job, "1");
  const std::vector<std::byte> content(bytes);
  absl::Status put;
  for (int i = 1; i < objects && put.ok(); ++i) {
    put = writer->Put(fmt::format("regions/r{:03}_mask.png", i), content, "image/png");
  }
  if (put.ok()) put = writer->Put("report.json", content, "application/json");
  auto kept = writer->Finish(job, "", JobTime());
  return put.ok() && kept.ok() ? *std::move(kept) : nullptr;
}

int Run(const std::string& place, int objects, std::size_t bytes, int rounds) {
  auto store = OpenStore(place, {}, ProcessEnvironment());
  if (!store.ok()) {
    fmt::print(stderr, "{}\n", Message(store.status()));
    return 1;
  }
  for (int round = 0; round < rounds; ++round) {
    Job job;
    job.scan_id = fmt::format("bench-{}-{}", Clock::now().time_since_epoch().count(), round);
    const auto kept = Result(job, objects, bytes);
    if (kept == nullptr) return 1;
    const auto start = Clock::now();
    const absl::Status delivered =
        Deliver(*kept, job, **store, job.scan_id, 1, [] { return absl::OkStatus(); }, {});
    const std::chrono::duration<double> seconds = Clock::now() - start;
    if (!delivered.ok()) {
      fmt::print(stderr, "{}\n", Message(delivered));
      return 1;
    }
    fmt::print("{:.3f} s for {} objects of {} bytes{}\n", seconds.count(), objects, bytes,
               round == 0 ? ", with new connections" : "");
  }
  return 0;
}

}  // namespace
}  // namespace glint

int main(int argc, char** argv) {
  const auto number = [&](int i, int otherwise) {
    return argc > i ? std::atoi(argv[i]) : otherwise;
  };
  if (argc < 2) {
    fmt::print(stderr, "usage: store_bench PLACE [OBJECTS] [BYTES] [ROUNDS]\n");
    return 2;
  }
  return glint::Run(argv[1], number(2, 32), static_cast<std::size_t>(number(3, 100'000)),
                    number(4, 5));
}
