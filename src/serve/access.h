// SPDX-License-Identifier: Apache-2.0
// Who may do what: asked by every surface that takes calls, before it touches the queue.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "jobs/job_store.h"

namespace glint {

/// What a caller may be allowed. The values are bits.
enum class Right : std::uint8_t {
  kSubmit = 1,
  kRead = 2,
  kCancel = 4,
  kAdminister = 8,  ///< to read and cancel everybody's scans, and to see the workers
};

/// Which rights somebody has.
class Rights {
 public:
  static constexpr Rights All() { return Rights(15); }
  /// Of an owner whose token says nothing else: all but to administer.
  static constexpr Rights Usual() { return Rights(7); }
  /// "submit,read,cancel,administer", in any order. Errors: INVALID_OPTION
  static absl::StatusOr<Rights> Parse(std::string_view text);

  constexpr bool Has(Right right) const { return (bits_ & static_cast<std::uint8_t>(right)) != 0; }
  bool operator==(const Rights&) const = default;

 private:
  constexpr explicit Rights(std::uint8_t bits) : bits_(bits) {}
  std::uint8_t bits_;
};

/// Who calls, as the token says. The default is who calls a worker that asks for no token, or shows
/// a token of which only itself is known: nobody in particular, who may do everything.
struct Identity {
  std::string name;   ///< of the token, for the log
  std::string owner;  ///< whose scans it is about; see NewJob::owner
  /// Which it may submit to, the usual one first. Empty: any, for who has no owner; else the
  /// worker's usual one.
  std::vector<std::string> tiers;
  OwnerQuotas quotas;
  Rights rights = Rights::All();
};

/// The scan that a caller means, as the store calls it. Another owner's needs kAdminister. Whether
/// it exists is not looked at: a caller cannot find out which ids others use.
/// @param owner  as the call says it; empty: the caller's own
/// Errors: INVALID_OPTION naming the field `scan_id`; NOT_PERMITTED
absl::StatusOr<std::string> ScanFor(const Identity& caller, Right right, std::string_view owner,
                                    std::string_view scan_id);

/// Makes a checked submission the caller's: owner, quotas, and the tier when it names none.
/// @param usual_tier  of callers whose token names none
/// Errors: NOT_PERMITTED
absl::Status MakeOwn(const Identity& caller, std::string_view usual_tier, NewJob& job);

/// Whose scans a caller may list: an owner's, or everybody's (nothing).
/// @param owner  as the call says it; empty: the caller's own; "*": everybody's
/// Errors: NOT_PERMITTED
absl::StatusOr<std::optional<std::string>> OwnerToList(const Identity& caller,
                                                       std::string_view owner);

/// Errors: NOT_PERMITTED, saying `what` may not be done
absl::Status CheckRight(const Identity& caller, Right right, std::string_view what);

}  // namespace glint
