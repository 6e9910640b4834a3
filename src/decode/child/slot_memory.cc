// SPDX-License-Identifier: Apache-2.0
#include "decode/child/slot_memory.h"

#include <algorithm>
#include <array>
#include <exception>

extern "C" {
#include <libavutil/imgutils.h>
}

#include "decode/child/libav_picture.h"
#include "decode/sandbox/wire.h"

namespace glint::sandbox {
namespace {

constexpr std::size_t kKeptForLending = 2;  // slots that the decoder leaves free
constexpr std::size_t kRowAlignment = 64;   // bytes
constexpr std::size_t kPadding = 128;       // bytes behind a plane that vector code may touch

}  // namespace

/// How a picture lies in a slot.
struct SlotMemory::Layout {
  std::array<int, 4> stride{};
  std::array<std::size_t, 4> offset{};
  std::size_t bytes = 0;

  /// For planes of this size, rows a multiple of kRowAlignment long. @return whether there is one
  static bool Make(AVPixelFormat format, int width, int height, Layout& layout) {
    // Widening the picture, not the rows, keeps the proportion of luma and chroma rows, which some
    // decoders rely on.
    for (bool aligned = false; !aligned; width += width & -width) {
      if (av_image_fill_linesizes(layout.stride.data(), format, width) < 0) return false;
      aligned = std::ranges::all_of(layout.stride,
                                    [](int stride) { return stride % int{kRowAlignment} == 0; });
      if (aligned) break;
    }
    std::array<std::ptrdiff_t, 4> strides{};
    std::ranges::copy(layout.stride, strides.begin());
    std::array<std::size_t, 4> sizes{};
    if (av_image_fill_plane_sizes(sizes.data(), format, height, strides.data()) < 0) return false;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      layout.offset[i] = layout.bytes;
      if (sizes[i] == 0) continue;
      const std::size_t padded = sizes[i] + kPadding;
      layout.bytes += (padded + kRowAlignment - 1) / kRowAlignment * kRowAlignment;
    }
    return true;
  }
};

int SlotMemory::Allocate(AVCodecContext& codec, AVFrame& frame, int flags) {
  const auto format = static_cast<AVPixelFormat>(frame.format);
  const bool takes_ours = (codec.codec->capabilities & AV_CODEC_CAP_DR1) != 0;
  if (!takes_ours || codec.codec_type != AVMEDIA_TYPE_VIDEO || !LayoutOf(format)) {
    return avcodec_default_get_buffer2(&codec, &frame, flags);
  }
  try {
    std::array<int, AV_NUM_DATA_POINTERS> alignment{};
    int width = frame.width;
    int height = frame.height;
    avcodec_align_dimensions2(&codec, &width, &height, alignment.data());
    Layout layout;
    if (!Layout::Make(format, width, height, layout)) return AVERROR(EINVAL);
    const MutexLock lock(mutex_);
    const auto slot = Acquire(static_cast<std::int64_t>(layout.bytes), Use::kDecoding);
    if (slot) return PlaceIn(*slot, layout, frame) ? 0 : AVERROR(ENOMEM);
  } catch (const std::exception&) {  // libav cannot pass an exception on
    return AVERROR(ENOMEM);
  }
  return avcodec_default_get_buffer2(&codec, &frame, flags);
}

void SlotMemory::Add(int slot, Slot memory) {
  const MutexLock lock(mutex_);
  ++answers_;
  // The worker numbers slots from 0 as it gives them.
  if (slot == static_cast<int>(entries_.size())) {
    entries_.push_back(std::make_unique<Entry>(std::move(memory)));
  }
  changed_.NotifyAll();
}

void SlotMemory::Refuse() {
  const MutexLock lock(mutex_);
  ++answers_;
  refused_ = true;
  changed_.NotifyAll();
}

void SlotMemory::Release(const std::vector<int>& slots) {
  std::vector<std::shared_ptr<AVFrame>> unused;  // freed after the lock: freeing comes back here
  const MutexLock lock(mutex_);
  for (const int slot : slots) {
    const auto at = static_cast<std::size_t>(slot);
    if (at < entries_.size()) unused.push_back(std::move(entries_[at]->lent));
  }
  changed_.NotifyAll();
}

std::optional<int> SlotMemory::FindFree(std::int64_t bytes, Use use) const {
  std::optional<int> found;
  std::size_t free = 0;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const Entry& entry = *entries_[i];
    if (entry.taken || static_cast<std::int64_t>(entry.memory.bytes().size()) < bytes) continue;
    ++free;
    if (!found) found = static_cast<int>(i);
  }
  if (use == Use::kDecoding && free <= kKeptForLending) return std::nullopt;
  return found;
}

std::optional<int> SlotMemory::Acquire(std::int64_t bytes, Use use) {
  while (true) {
    if (const auto slot = FindFree(bytes, use)) {
      entries_[static_cast<std::size_t>(*slot)]->taken = true;
      return slot;
    }
    if (refused_ || entries_.size() >= static_cast<std::size_t>(kMaxSlots)) return std::nullopt;
    request_(bytes);
    const std::uint64_t mine = ++requests_;
    changed_.Wait(mutex_, [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return answers_ >= mine; });
  }
}

bool SlotMemory::PlaceIn(int slot, const Layout& layout, AVFrame& frame) {
  const std::span<std::uint8_t> bytes = entries_[static_cast<std::size_t>(slot)]->memory.bytes();
  frame.buf[0] = av_buffer_create(bytes.data(), bytes.size(), OnUnused, this, 0);
  if (frame.buf[0] == nullptr) {
    entries_[static_cast<std::size_t>(slot)]->taken = false;
    return false;
  }
  for (std::size_t i = 0; i < layout.stride.size(); ++i) {
    if (layout.stride[i] == 0) continue;
    frame.data[i] = bytes.data() + layout.offset[i];
    frame.linesize[i] = layout.stride[i];
  }
  frame.extended_data = frame.data;
  return true;
}

void SlotMemory::OnUnused(void* self, std::uint8_t* data) {
  auto& memory = *static_cast<SlotMemory*>(self);
  const MutexLock lock(memory.mutex_);
  for (const auto& entry : memory.entries_) {
    if (entry->memory.bytes().data() == data) entry->taken = false;
  }
  memory.changed_.NotifyAll();
}

std::optional<int> SlotMemory::SlotOf(const AVFrame& frame) const {
  if (frame.buf[0] == nullptr || frame.buf[1] != nullptr) return std::nullopt;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const bool here = entries_[i]->memory.bytes().data() == frame.buf[0]->data;
    // A picture that is shown twice is sent in two slots: each slot goes and comes back once.
    if (here && entries_[i]->lent == nullptr) return static_cast<int>(i);
  }
  return std::nullopt;
}

std::optional<int> SlotMemory::Lend(const std::shared_ptr<AVFrame>& frame,
                                    const std::function<void()>& starved) {
  std::shared_ptr<AVFrame> copy;
  const std::optional<int> slot = LendSlot(frame, starved, copy);
  // Not under the lock: it takes long.
  if (slot && copy && av_frame_copy(copy.get(), frame.get()) < 0) return std::nullopt;
  return slot;
}

std::optional<int> SlotMemory::LendSlot(const std::shared_ptr<AVFrame>& frame,
                                        const std::function<void()>& starved,
                                        std::shared_ptr<AVFrame>& copy) {
  const MutexLock lock(mutex_);
  if (const auto slot = SlotOf(*frame)) {
    entries_[static_cast<std::size_t>(*slot)]->lent = frame;
    return slot;
  }
  copy = NewFrame();
  Layout layout;
  const auto format = static_cast<AVPixelFormat>(frame->format);
  if (!Layout::Make(format, frame->width, frame->height, layout)) return std::nullopt;
  const auto bytes = static_cast<std::int64_t>(layout.bytes);
  auto slot = Acquire(bytes, Use::kLending);
  while (!slot) {
    const auto lendable = [&](const auto& entry) {
      return static_cast<std::int64_t>(entry->memory.bytes().size()) >= bytes;
    };
    if (std::ranges::none_of(entries_, lendable)) return std::nullopt;
    starved();
    changed_.Wait(mutex_, [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
      return FindFree(bytes, Use::kLending).has_value();
    });
    slot = Acquire(bytes, Use::kLending);
  }
  copy->format = frame->format;
  copy->width = frame->width;
  copy->height = frame->height;
  if (!PlaceIn(*slot, layout, *copy)) throw std::bad_alloc();
  entries_[static_cast<std::size_t>(*slot)]->lent = copy;
  return slot;
}

const AVFrame& SlotMemory::Lent(int slot) const {
  const MutexLock lock(mutex_);
  return *entries_[static_cast<std::size_t>(slot)]->lent;
}

}  // namespace glint::sandbox
