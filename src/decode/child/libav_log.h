// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "base/mutex.h"

namespace glint {

/// Collects what FFmpeg says about one video: put its address into the `opaque` of that video's
/// AVFormatContext and into the CodecHooks of its AVCodecContext. Safe to use from several threads.
class LibavLog {
 public:
  /// Takes FFmpeg's messages off stderr, for the whole process and once. Messages of contexts
  /// without a log are dropped.
  static void Install();

  /// Takes this thread's messages of contexts that have no log: those of devices.
  class OfThisThread {
   public:
    explicit OfThisThread(LibavLog& log);
    ~OfThisThread();
    OfThisThread(const OfThisThread&) = delete;
    OfThisThread& operator=(const OfThisThread&) = delete;
  };

  /// The latest error message, without line end; empty when there was none.
  std::string last_error() const;
  /// The first warning or error of a decoder since the last call of NewDecoder(), likewise.
  std::string first_decoder_message() const;
  void NewDecoder();
  /// Whether a decoder refused a picture for its size.
  bool refused_size() const;
  /// How many error messages came from decoders.
  std::int64_t decoder_errors() const;

  void Add(std::string message, bool from_decoder);
  void AddDecoderWarning(std::string message);

 private:
  mutable Mutex mutex_;
  std::string last_error_ ABSL_GUARDED_BY(mutex_);
  std::string first_decoder_message_ ABSL_GUARDED_BY(mutex_);
  bool refused_size_ ABSL_GUARDED_BY(mutex_) = false;
  std::int64_t decoder_errors_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace glint
