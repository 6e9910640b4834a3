// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/mutex.h"

namespace glint {

/// An answer that somebody writes piece by piece, whenever there is something to say. Safe to use
/// from several threads.
class WebStream {
 public:
  /// Called without a lock, on any thread.
  struct Listener {
    std::function<void()> sent;  ///< the piece was taken: there may be another
    std::function<void()> gone;  ///< the client has left; called once at most
  };
  explicit WebStream(Listener listener) : listener_(std::move(listener)) {}

  /// Sends a piece; the next one only after `sent`, unless End() follows.
  void Send(std::string_view piece);
  /// The answer is whole with what was sent so far.
  void End();

  // For the server.

  /// What is to be written now, `most` bytes of it at most.
  struct Written {
    std::size_t bytes = 0;
    bool over = false;     ///< and that was all
    bool waits = false;    ///< there is nothing now; `wake` is called once when there is
    bool drained = false;  ///< a piece is out: call Drained()
  };
  Written Read(std::span<char> out, std::function<void()> wake);
  void Drained();
  /// Says something without meaning, so that a client that is gone is noticed.
  void Beat();
  void Gone();

 private:
  void Wake(std::function<void()> wake);

  Mutex mutex_;
  Listener listener_ ABSL_GUARDED_BY(mutex_);
  std::string piece_ ABSL_GUARDED_BY(mutex_);
  std::size_t at_ ABSL_GUARDED_BY(mutex_) = 0;
  bool owes_ ABSL_GUARDED_BY(mutex_) = false;  // `sent` for the piece
  bool ended_ ABSL_GUARDED_BY(mutex_) = false;
  std::function<void()> wake_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace glint
