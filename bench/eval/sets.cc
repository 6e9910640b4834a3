// SPDX-License-Identifier: Apache-2.0
#include "bench/eval/sets.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace glint {
namespace {

void AddLines(const ScanEvaluation& scan, SetVerdict& to) {
  const Counts plain = CountLines({&scan, 1}, Visibility::kPlain);
  to.found += plain.found;
  to.known += plain.known;
  if (!scan.visible_lines) return;
  const double f = scan.visible_lines->f;
  to.worst_f = to.with_lines == 0 ? f : std::min(to.worst_f, f);
  to.mean_f += f;  // their sum, so far
  ++to.with_lines;
}

void Add(const ScanEvaluation& scan, SetVerdict& to) {
  if (!scan.failure.ok()) {
    ++to.failed;
    return;
  }
  ++to.scans;
  to.not_judged += scan.outcome != ScanOutcome::kScanned ? 1 : 0;
  if (scan.as_expected) {
    ++to.clips;
    to.unexpected += *scan.as_expected ? 0 : 1;
    to.without_object += *scan.as_expected || scan.has_object ? 0 : 1;
    return;
  }
  AddLines(scan, to);
  if (scan.damaged) return;
  ++to.clean;
  to.clean_marked_percent = std::max(to.clean_marked_percent, 100 * scan.marked);
}

void Compare(const SetTargets& targets, SetVerdict& to) {
  const auto asked = [&](bool reached, std::string clause) {
    if (!reached) to.short_of.push_back(std::move(clause));
  };
  asked(to.failed == 0, fmt::format("{} failed", to.failed));
  if (to.with_lines > 0) {
    asked(to.mean_f >= targets.mean_f, fmt::format("mean F under {:.2f}", targets.mean_f));
    asked(to.worst_f >= targets.worst_f, fmt::format("worst F under {:.2f}", targets.worst_f));
    asked(to.found >= targets.found * to.known,
          fmt::format("fewer than {:.0f} % of the lines found", 100 * targets.found));
  }
  asked(to.clean_marked_percent <= targets.clean_marked_percent,
        fmt::format("more than {} % of a clean one marked", targets.clean_marked_percent));
  asked(to.without_object == 0, fmt::format("{} judged without an object", to.without_object));
  asked(to.unexpected <= targets.unexpected_clips,
        fmt::format("more than {} clip otherwise than expected", targets.unexpected_clips));
}

}  // namespace

std::vector<SetVerdict> JudgeSets(std::span<const ScanEvaluation> scans,
                                  const SetTargets& targets) {
  std::vector<SetVerdict> verdicts;
  for (const ScanEvaluation& scan : scans) {
    auto verdict = std::ranges::find(verdicts, scan.set, &SetVerdict::set);
    if (verdict == verdicts.end()) {
      verdict = verdicts.insert(verdict, SetVerdict{.set = scan.set});
    }
    Add(scan, *verdict);
  }
  for (SetVerdict& verdict : verdicts) {
    if (verdict.with_lines > 0) verdict.mean_f /= verdict.with_lines;
    Compare(targets, verdict);
  }
  return verdicts;
}

std::string VerdictLine(const SetVerdict& verdict) {
  std::string text =
      fmt::format("{}: {} scans, {} not judged", verdict.set, verdict.scans, verdict.not_judged);
  if (verdict.with_lines > 0) {
    text += fmt::format("; visible lines mean F {:.3f}, worst {:.3f}, {}/{} found", verdict.mean_f,
                        verdict.worst_f, verdict.found, verdict.known);
  }
  if (verdict.clean > 0) {
    text += fmt::format("; {} clean, at most {:.3f} % marked", verdict.clean,
                        verdict.clean_marked_percent);
  }
  if (verdict.clips > 0) {
    text += fmt::format("; {} of {} clips as expected", verdict.clips - verdict.unexpected,
                        verdict.clips);
  }
  if (verdict.short_of.empty()) return text + ": all that is asked\n";
  return text + fmt::format(": falls short: {}\n", fmt::join(verdict.short_of, ", "));
}

nlohmann::ordered_json ToJson(const SetVerdict& verdict) {
  const auto f = [&](double value) {
    return verdict.with_lines > 0 ? nlohmann::ordered_json(value) : nullptr;
  };
  return {{"set", verdict.set},
          {"scans", verdict.scans},
          {"failed", verdict.failed},
          {"not_judged", verdict.not_judged},
          {"visible_mean_f", f(verdict.mean_f)},
          {"visible_worst_f", f(verdict.worst_f)},
          {"visible_found", verdict.found},
          {"visible_known", verdict.known},
          {"clean", verdict.clean},
          {"clean_most_marked_percent", verdict.clean_marked_percent},
          {"clips", verdict.clips},
          {"unexpected_clips", verdict.unexpected},
          {"judged_without_object", verdict.without_object},
          {"short_of", verdict.short_of}};
}

}  // namespace glint
