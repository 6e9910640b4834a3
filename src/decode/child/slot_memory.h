// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/mutex.h"
#include "decode/child/frame_memory.h"
#include "decode/sandbox/slot.h"

namespace glint::sandbox {

/// The child's pictures lie in memory that it shares with the worker, so that frames cross without
/// a copy. A slot is in use while the decoder refers to the picture, and while the worker has it.
///
/// Slots are made by the worker, on demand. When it gives no more, the decoder works in private
/// memory, and a picture that is due is copied into a slot; a few slots are kept free of the
/// decoder for that. Safe to use from several threads.
class SlotMemory final : public FrameMemory {
 public:
  /// How the child asks for a slot. Called under a lock; the answer is Add() or Refuse().
  using Request = std::function<void(std::int64_t bytes)>;
  explicit SlotMemory(Request request) : request_(std::move(request)) {}

  int Allocate(AVCodecContext& codec, AVFrame& frame, int flags) override;

  // The worker's answers.
  void Add(int slot, Slot memory);
  void Refuse();
  /// The worker has no use for these any more.
  void Release(const std::vector<int>& slots);

  /// Puts a picture that shall be sent into a slot of its own, if it is not in one, and keeps it
  /// until the slot is released. Waits for a slot.
  /// @param starved  called once when all slots are in use, before waiting for Release
  /// @return the slot; nothing when no slot can ever hold the picture
  std::optional<int> Lend(const std::shared_ptr<AVFrame>& frame,
                          const std::function<void()>& starved);

  /// The picture that the worker has in a slot.
  const AVFrame& Lent(int slot) const;

 private:
  struct Entry {
    explicit Entry(Slot slot) : memory(std::move(slot)) {}
    Slot memory;
    bool taken = false;             ///< some AVBuffer is over it
    std::shared_ptr<AVFrame> lent;  ///< what the worker has
  };
  struct Layout;

  enum class Use { kDecoding, kLending };
  /// @param copy  set when the picture is to be copied into the slot: the frame over it
  std::optional<int> LendSlot(const std::shared_ptr<AVFrame>& frame,
                              const std::function<void()>& starved, std::shared_ptr<AVFrame>& copy);
  std::optional<int> Acquire(std::int64_t bytes, Use use) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::optional<int> FindFree(std::int64_t bytes, Use use) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::optional<int> SlotOf(const AVFrame& frame) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool PlaceIn(int slot, const Layout& layout, AVFrame& frame)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  static void OnUnused(void* self, std::uint8_t* data);

  Request request_;
  mutable Mutex mutex_;
  CondVar changed_;
  std::vector<std::unique_ptr<Entry>> entries_ ABSL_GUARDED_BY(mutex_);
  std::uint64_t answers_ ABSL_GUARDED_BY(mutex_) = 0;  // to requests
  std::uint64_t requests_ ABSL_GUARDED_BY(mutex_) = 0;
  bool refused_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace glint::sandbox
