// SPDX-License-Identifier: Apache-2.0
#include "web/web_stream.h"

#include <algorithm>
#include <utility>

namespace glint {

// `wake_` is called under the lock: it tells the server only, which calls Read() later.

void WebStream::Send(std::string_view piece) {
  const MutexLock lock(mutex_);
  piece_.erase(0, std::exchange(at_, 0));
  piece_ += piece;
  owes_ = true;
  if (const auto wake = std::exchange(wake_, nullptr)) wake();
}

void WebStream::End() {
  const MutexLock lock(mutex_);
  ended_ = true;
  if (const auto wake = std::exchange(wake_, nullptr)) wake();
}

WebStream::Written WebStream::Read(std::span<char> out, std::function<void()> wake) {
  const MutexLock lock(mutex_);
  Written written;
  written.bytes = std::min(out.size(), piece_.size() - at_);
  std::copy_n(piece_.data() + at_, written.bytes, out.data());
  at_ += written.bytes;
  if (written.bytes == 0) {
    written.over = ended_;
    written.waits = !ended_;
    if (written.waits) wake_ = std::move(wake);
  } else if (at_ == piece_.size()) {
    piece_.clear();
    at_ = 0;
    written.drained = std::exchange(owes_, false);
  }
  return written;
}

void WebStream::Drained() {
  std::function<void()> sent;
  {
    const MutexLock lock(mutex_);
    sent = listener_.sent;
  }
  if (sent) sent();
}

void WebStream::Beat() {
  const MutexLock lock(mutex_);
  if (!piece_.empty() || ended_) return;
  piece_ = ":\n\n";
  if (const auto wake = std::exchange(wake_, nullptr)) wake();
}

void WebStream::Gone() {
  Listener last;
  {
    const MutexLock lock(mutex_);
    ended_ = true;
    wake_ = nullptr;
    last = std::exchange(listener_, {});
  }
  if (last.gone) last.gone();
}

}  // namespace glint
