// SPDX-License-Identifier: Apache-2.0
// Proof, on the machine at hand, that every way to compute a stage gives the same bytes.
#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "glint/backend.h"

namespace glint {

struct VerifyOptions {
  int cases = 50;          ///< >= 1
  int largest_side = 160;  ///< pixels, >= 16
  std::uint64_t seed = 1;  ///< that of the first case; the next ones follow
};

/// One way to compute: a backend, or the CPU's with one instruction set.
struct VerifyWay {
  std::string name;  ///< "cpu AVX2", "cuda"
  Backend* backend = nullptr;
  std::function<void()> enter = [] {};  ///< called before the way is used
};

/// What became of one stage in one way.
struct StageVerdict {
  std::string stage;
  std::string sha256;  ///< of all answers, in order
  std::int64_t answers = 0;
  std::int64_t differing = 0;    ///< answers that are not those of the first way
  std::uint64_t first_seed = 0;  ///< the case of the first such answer, where there is one
};

/// The CPU's ways: one per instruction set that this build holds and this processor has. They
/// change what the whole process uses.
std::vector<VerifyWay> CpuWays(Backend& cpu);

struct WayVerdict {
  std::string name;
  std::vector<StageVerdict> stages;
};

struct Verdict {
  std::vector<WayVerdict> ways;       ///< the first one is what the others are compared with
  std::int64_t reference_fields = 0;  ///< flow fields compared with the scalar reference
  std::int64_t reference_differing = 0;

  bool same() const;
};

/// Runs all cases in all ways. The first way must compute on the host.
/// Errors: those of a stage; the message names the way
absl::StatusOr<Verdict> Verify(const VerifyOptions& options, std::vector<VerifyWay> ways);

}  // namespace glint
