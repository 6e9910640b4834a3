// SPDX-License-Identifier: Apache-2.0
// Several sets of scans and clips, each with a verdict of its own.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "bench/eval/evaluation.h"

namespace glint {

/// What is asked of a set.
struct SetTargets {
  double mean_f = 0.85;                ///< of the lines that are plain to see, at least
  double worst_f = 0.65;               ///< of any scan, at least
  double found = 0.9;                  ///< share of these lines, at least
  double clean_marked_percent = 0.02;  ///< of any scan without damage, at most
  int unexpected_clips = 1;            ///< with an object, at most; without one none may be
};

/// A set's results in short.
struct SetVerdict {
  std::string set;
  int scans = 0;       ///< that have a result
  int failed = 0;      ///< the others
  int not_judged = 0;  ///< or without usable frames
  int with_lines = 0;  ///< scans with lines that are plain to see
  double mean_f = 0;   ///< of these
  double worst_f = 0;  ///< of these
  int found = 0;       ///< of `known` lines
  int known = 0;
  int clean = 0;                      ///< labelled scans without damage
  double clean_marked_percent = 0;    ///< of them, the most
  int clips = 0;                      ///< real ones
  int unexpected = 0;                 ///< of them
  int without_object = 0;             ///< of these, the ones with a percentage but no object
  std::vector<std::string> short_of;  ///< what is asked and not reached, a clause each
};

/// A verdict per set, in the order in which they come.
std::vector<SetVerdict> JudgeSets(std::span<const ScanEvaluation> scans,
                                  const SetTargets& targets = {});

/// One line of it for people.
std::string VerdictLine(const SetVerdict& verdict);

/// For machines.
nlohmann::ordered_json ToJson(const SetVerdict& verdict);

}  // namespace glint
