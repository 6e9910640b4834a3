// SPDX-License-Identifier: Apache-2.0
#include "bench/verify/verify.h"

#include <fmt/format.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cstring>

#include "base/status_macros.h"
#include "bench/verify/cases.h"
#include "glint/error.h"
#include "http/digest.h"
#include "stages/cpu/farneback/reference.h"
#include "stages/cpu/farneback/targets.h"

namespace glint {
namespace {

/// Adds an answer: each digest is of the one before and of the answer.
void Add(const StageAnswer& answer, const StageAnswer& expected, std::uint64_t seed,
         WayVerdict& way) {
  auto found = std::ranges::find(way.stages, answer.stage, &StageVerdict::stage);
  if (found == way.stages.end()) {
    way.stages.push_back({.stage = answer.stage, .sha256 = {}});
    found = std::prev(way.stages.end());
  }
  found->sha256 = Sha256Hex(found->sha256 + answer.bytes);
  ++found->answers;
  if (answer.bytes == expected.bytes) return;
  if (found->differing++ == 0) found->first_seed = seed;
}

/// Whether the flow of a way's host backend is that of the code written to be read.
absl::Status CompareWithReference(const VerifyCase& one, Backend& backend, Verdict& verdict) {
  const Plane& previous = one.frames()[0];
  const Plane& next = one.frames()[1];
  GLINT_ASSIGN_OR_RETURN(const auto flow, backend.MakeFlow());
  GLINT_ASSIGN_OR_RETURN(const auto field, flow->Field(previous, next));
  const Plane expected = farneback::ReferenceField(previous, next);
  bool same = true;
  for (int y = 0; y < expected.height(); ++y) {
    const std::size_t bytes = static_cast<std::size_t>(expected.width()) * 2 * sizeof(float);
    same = same && std::memcmp(field.Row<float>(y), expected.Row<float>(y), bytes) == 0;
  }
  ++verdict.reference_fields;
  verdict.reference_differing += same ? 0 : 1;
  return absl::OkStatus();
}

}  // namespace

std::vector<VerifyWay> CpuWays(Backend& cpu) {
  std::vector<VerifyWay> ways;
  for (const std::int64_t target : farneback::RunnableTargets()) {
    ways.push_back({.name = fmt::format("cpu {}", hwy::TargetName(target)),
                    .backend = &cpu,
                    .enter = [target] { farneback::UseTarget(target); }});
  }
  return ways;
}

bool Verdict::same() const {
  return reference_differing == 0 && std::ranges::all_of(ways, [](const WayVerdict& way) {
           return std::ranges::all_of(
               way.stages, [](const StageVerdict& stage) { return stage.differing == 0; });
         });
}

absl::StatusOr<Verdict> Verify(const VerifyOptions& options, std::vector<VerifyWay> ways) {
  if (options.cases < 1 || options.largest_side < 16 || ways.empty()) {
    return Error(Reason::kInvalidOption,
                 "verify: there must be a case, a side of 16 px and a way to compute");
  }
  Verdict verdict;
  for (const VerifyWay& way : ways) verdict.ways.push_back({.name = way.name, .stages = {}});
  for (int i = 0; i < options.cases; ++i) {
    const std::uint64_t seed = options.seed + static_cast<std::uint64_t>(i);
    const VerifyCase one(seed, options.largest_side);
    std::vector<StageAnswer> expected;
    for (std::size_t k = 0; k < ways.size(); ++k) {
      ways[k].enter();
      auto answers = one.Run(*ways[k].backend);
      if (!answers.ok()) return In(ways[k].name, answers.status());
      if (k == 0) {
        expected = *answers;
        absl::Status compared = CompareWithReference(one, *ways[k].backend, verdict);
        if (!compared.ok()) return In(ways[k].name, compared);
      }
      for (std::size_t a = 0; a < answers->size(); ++a) {
        Add((*answers)[a], expected[a], seed, verdict.ways[k]);
      }
    }
  }
  farneback::UseTarget(0);
  return verdict;
}

}  // namespace glint
