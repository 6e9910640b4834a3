// SPDX-License-Identifier: Apache-2.0
#include "decode/sandbox/shared_frames.h"

#include <new>
#include <utility>

#include "decode/luma.h"
#include "decode/rgb.h"
#include "decode/sandbox/wire.h"

namespace glint::sandbox {

SharedPicture::SharedPicture(std::shared_ptr<const AVFrame> frame, const PixelLayout& layout,
                             bool full_range, Orientation orientation)
    : frame_(std::move(frame)),
      layout_(layout),
      full_range_(full_range),
      orientation_(orientation) {}

std::shared_ptr<const AVFrame> SharedPicture::Current() const {
  const std::scoped_lock lock(mutex_);
  return frame_;
}

Plane SharedPicture::ToRgb() const {
  return FrameToRgb(*Current(), layout_, full_range_, orientation_);
}

Plane SharedPicture::ToLuma() const {
  LumaMaker maker(orientation_, LumaMaker::Memory::kOwn);
  return maker.Make(Current(), layout_, full_range_);
}

void SharedPicture::LeaveSlot() {
  const std::scoped_lock lock(mutex_);
  if (!in_slot_) return;
  std::shared_ptr<AVFrame> copy = NewFrame();
  copy->format = frame_->format;
  copy->width = frame_->width;
  copy->height = frame_->height;
  copy->colorspace = frame_->colorspace;
  copy->chroma_location = frame_->chroma_location;
  if (av_frame_get_buffer(copy.get(), 0) < 0) throw std::bad_alloc();
  if (av_frame_copy(copy.get(), frame_.get()) < 0) throw std::bad_alloc();
  frame_ = std::move(copy);
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
  std::shared_ptr<void> keeper(nullptr, [memory, slot, returned = returned_](void* /*nothing*/) {
    const std::scoped_lock lock(returned->mutex);
    returned->slots.push_back(slot);
  });
  return Loan{memory->bytes(), std::move(keeper)};
}

std::vector<int> SharedFrames::TakeReturned() {
  std::vector<int> slots;
  {
    const std::scoped_lock lock(returned_->mutex);
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
