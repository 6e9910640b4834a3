// SPDX-License-Identifier: Apache-2.0
#include "decode/sandbox/shared_frames.h"

#include <algorithm>
#include <utility>

#include "decode/luma.h"
#include "decode/rgb.h"
#include "decode/sandbox/wire.h"

namespace glint::sandbox {

namespace {

/// Pictures in use that stay in their slots: so many, or more where they take less than these
/// bytes. Up to 1080p that is as many as wait for being measured and chosen: to pack these would be
/// in vain. Of larger ones more are packed than would have to be.
constexpr std::int64_t kFewestInSlots = 3;
constexpr std::int64_t kBytesInSlots = 32 << 20;

}  // namespace

SharedPicture::SharedPicture(PlanarPicture picture, Orientation orientation)
    : picture_(std::move(picture)), orientation_(orientation) {}

template <class Unpack>
PlanarPicture SharedPicture::Current(const Unpack& unpack) const {
  std::shared_ptr<const PackedPicture> packed;
  {
    const MutexLock lock(mutex_);
    if (const auto* picture = std::get_if<PlanarPicture>(&picture_)) return *picture;
    packed = std::get<1>(picture_);
  }
  return unpack(*packed);  // others may do the same at once
}

Plane SharedPicture::ToRgb() const {
  return PictureToRgb(Current([](const PackedPicture& packed) { return packed.Unpacked(); }),
                      orientation_);
}

Plane SharedPicture::ToLuma() const {
  return PictureToLuma(Current([](const PackedPicture& packed) { return packed.UnpackedLuma(); }),
                       orientation_);
}

void SharedPicture::LeaveSlot() {
  const MutexLock lock(mutex_);
  if (const auto* picture = std::get_if<PlanarPicture>(&picture_)) {
    picture_ = std::make_shared<const PackedPicture>(*picture);
  }
}

std::optional<SharedFrames::Made> SharedFrames::Make(std::int64_t bytes) {
  if (entries_.size() >= static_cast<std::size_t>(kMaxSlots) || bytes > room_) return std::nullopt;
  Made made{static_cast<int>(entries_.size()), Descriptor()};
  auto slot = Slot::Make(bytes, made.passed);
  if (!slot.ok()) return std::nullopt;
  room_ -= bytes;
  largest_ = std::max(largest_, bytes);
  entries_.push_back({std::make_shared<const Slot>(*std::move(slot))});
  return made;
}

std::optional<SharedFrames::Loan> SharedFrames::Lend(int slot) {
  const auto at = static_cast<std::size_t>(slot);
  if (at >= entries_.size() || entries_[at].lent) return std::nullopt;
  entries_[at].lent = true;
  const std::shared_ptr<const Slot>& memory = entries_[at].memory;
  // The slot's memory goes with the loan: a frame may outlive its video.
  std::shared_ptr<const void> keeper(nullptr,
                                     [memory, slot, returned = returned_](const void* /*nothing*/) {
                                       const MutexLock lock(returned->mutex);
                                       returned->slots.push_back(slot);
                                     });
  return Loan{memory->bytes(), std::move(keeper)};
}

std::vector<int> SharedFrames::TakeReturned() {
  std::vector<int> slots;
  {
    const MutexLock lock(returned_->mutex);
    slots.swap(returned_->slots);
  }
  for (const int slot : slots) entries_[static_cast<std::size_t>(slot)].lent = false;
  return slots;
}

void SharedFrames::Remember(const std::shared_ptr<SharedPicture>& picture) {
  std::erase_if(in_slots_, [](const auto& known) { return known.expired(); });
  const std::int64_t most = std::max(kFewestInSlots, kBytesInSlots / largest_);
  for (; std::ssize(in_slots_) >= most; in_slots_.pop_front()) {
    if (const auto oldest = in_slots_.front().lock()) oldest->LeaveSlot();
  }
  in_slots_.push_back(picture);
}

void SharedFrames::LeaveSlots() {
  for (const auto& known : in_slots_) {
    if (const auto picture = known.lock()) picture->LeaveSlot();
  }
  in_slots_.clear();
}

}  // namespace glint::sandbox
