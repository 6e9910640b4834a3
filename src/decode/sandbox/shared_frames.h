// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "base/descriptor.h"
#include "base/mutex.h"
#include "decode/orientation.h"
#include "decode/packed_picture.h"
#include "decode/planar_picture.h"
#include "decode/sandbox/slot.h"
#include "glint/video.h"

namespace glint::sandbox {

/// A frame in a slot, or packed, for its luma and colours. Safe to use from several threads.
class SharedPicture final : public RawPicture {
 public:
  SharedPicture(PlanarPicture picture, Orientation orientation);
  Plane ToRgb() const override;
  Plane ToLuma() const override;
  /// Packs the picture and puts it away; its slot is free once nobody reads there any more.
  /// Throws std::bad_alloc.
  void LeaveSlot();

 private:
  /// @param unpack  called without the lock where the picture is packed
  template <class Unpack>
  PlanarPicture Current(const Unpack& unpack) const;

  mutable Mutex mutex_;
  std::variant<PlanarPicture, std::shared_ptr<const PackedPicture>> picture_
      ABSL_GUARDED_BY(mutex_);  // in its slot, or packed
  const Orientation orientation_;
};

/// The worker's side of the slots: makes them, lends them to pictures, and knows which of them the
/// child may have back.
class SharedFrames {
 public:
  /// @param most_bytes  of all slots together
  explicit SharedFrames(std::int64_t most_bytes) : room_(most_bytes) {}

  /// A slot that was made, and the descriptor for the child.
  struct Made {
    int slot;
    Descriptor passed;
  };
  /// A new slot, or nothing when there are enough or memory is out.
  std::optional<Made> Make(std::int64_t bytes);

  /// A slot on loan: its bytes, and what gives it back when the last copy is gone.
  struct Loan {
    std::span<std::uint8_t> bytes;
    std::shared_ptr<const void> keeper;
  };
  /// Nothing when there is no such slot, or when it is on loan already.
  std::optional<Loan> Lend(int slot);

  /// The slots that came back since the last call.
  std::vector<int> TakeReturned();

  /// Remembers a picture so that LeaveSlots finds it. The oldest of many that are in use leave
  /// their slots: they are frames that were chosen, and will be kept. Throws std::bad_alloc.
  void Remember(const std::shared_ptr<SharedPicture>& picture);
  /// Moves all pictures that are still in use out of their slots. Throws std::bad_alloc.
  void LeaveSlots();

 private:
  struct Returned {
    Mutex mutex;
    std::vector<int> slots ABSL_GUARDED_BY(mutex);
  };
  struct Entry {
    std::shared_ptr<const Slot> memory;
    bool lent = false;
  };

  std::int64_t room_;         // bytes that may still be made
  std::int64_t largest_ = 1;  // bytes of a slot
  std::vector<Entry> entries_;
  std::shared_ptr<Returned> returned_ = std::make_shared<Returned>();  // outlives us in the loans
  std::deque<std::weak_ptr<SharedPicture>> in_slots_;                  // the oldest first
};

}  // namespace glint::sandbox
