// SPDX-License-Identifier: Apache-2.0
#include "decode/sandbox/shared_frames.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "decode/luma.h"
#include "decode/rgb.h"
#include "decode/sandbox/wire.h"

namespace glint::sandbox {

namespace {

/// The same picture in memory of its own. Throws std::bad_alloc.
PlanarPicture CopyOf(const PlanarPicture& picture) {
  std::array<std::ptrdiff_t, kPlanes> row_bytes{};
  std::array<int, kPlanes> rows{};
  for (int i = 0; i < picture.layout.count(); ++i) {
    const auto plane =
        static_cast<std::size_t>(picture.layout.components[static_cast<std::size_t>(i)].plane);
    row_bytes[plane] = std::max(row_bytes[plane], picture.layout.RowBytes(i, picture.size));
    rows[plane] = std::max(rows[plane], picture.layout.SizeOf(i, picture.size).height);
  }
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < kPlanes; ++i)
    bytes += static_cast<std::size_t>(row_bytes[i] * rows[i]);
  const std::shared_ptr<std::uint8_t[]> memory(new std::uint8_t[bytes]);
  PlanarPicture copy = picture;
  std::uint8_t* to = memory.get();
  for (std::size_t i = 0; i < kPlanes; ++i) {
    copy.data[i] = to;
    copy.stride[i] = row_bytes[i];
    for (int y = 0; y < rows[i]; ++y, to += row_bytes[i]) {
      std::memcpy(to, picture.data[i] + y * picture.stride[i],
                  static_cast<std::size_t>(row_bytes[i]));
    }
  }
  copy.memory = memory;
  return copy;
}

}  // namespace

SharedPicture::SharedPicture(PlanarPicture picture, Orientation orientation)
    : picture_(std::move(picture)), orientation_(orientation) {}

PlanarPicture SharedPicture::Current() const {
  const MutexLock lock(mutex_);
  return picture_;
}

Plane SharedPicture::ToRgb() const { return PictureToRgb(Current(), orientation_); }

Plane SharedPicture::ToLuma() const { return PictureToLuma(Current(), orientation_); }

void SharedPicture::LeaveSlot() {
  const MutexLock lock(mutex_);
  if (!in_slot_) return;
  picture_ = CopyOf(picture_);
  in_slot_ = false;
}

std::optional<SharedFrames::Made> SharedFrames::Make(std::int64_t bytes) {
  if (entries_.size() >= static_cast<std::size_t>(kMaxSlots) || bytes > room_) return std::nullopt;
  Made made{static_cast<int>(entries_.size()), Descriptor()};
  auto slot = Slot::Make(bytes, made.passed);
  if (!slot.ok()) return std::nullopt;
  room_ -= bytes;
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
  std::erase_if(pictures_, [](const auto& known) { return known.expired(); });
  pictures_.push_back(picture);
}

void SharedFrames::LeaveSlots() {
  for (const auto& known : pictures_) {
    if (const auto picture = known.lock()) picture->LeaveSlot();
  }
}

}  // namespace glint::sandbox
