// SPDX-License-Identifier: Apache-2.0
// What someone who mistyped a name may have meant.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace glint {

/// The name that takes the fewest insertions, deletions, replacements and swaps of neighbours to
/// become, the first of equals; empty when none takes at most a third of the word's letters (one
/// of a short word's).
std::string ClosestName(std::string_view word, std::span<const std::string> names);

/// "; did you mean 'scan'?", or nothing.
std::string DidYouMean(std::string_view word, std::span<const std::string> names);

}  // namespace glint
