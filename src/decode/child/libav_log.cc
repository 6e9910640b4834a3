// SPDX-License-Identifier: Apache-2.0
#include "decode/child/libav_log.h"

#include <cstdarg>
#include <cstdio>
#include <string_view>
#include <utility>

#include "decode/child/frame_memory.h"
#include "decode/child/libav.h"

namespace glint {
namespace {

thread_local LibavLog* log_of_this_thread = nullptr;

struct Origin {
  LibavLog* log = nullptr;
  bool is_decoder = false;
};

// Only format and codec contexts are ours to mark; other contexts may name one as their parent.
Origin OriginOf(void* context) {
  while (context != nullptr) {
    const AVClass* kind = *static_cast<const AVClass* const*>(context);
    if (kind == nullptr) break;
    if (kind == avcodec_get_class()) {
      const auto* hooks =
          static_cast<const CodecHooks*>(static_cast<AVCodecContext*>(context)->opaque);
      return {hooks == nullptr ? nullptr : hooks->log, true};
    }
    if (kind == avformat_get_class()) {
      return {static_cast<LibavLog*>(static_cast<AVFormatContext*>(context)->opaque), false};
    }
    if (kind->parent_log_context_offset == 0) break;
    context =
        *reinterpret_cast<void**>(static_cast<char*>(context) + kind->parent_log_context_offset);
  }
  return {log_of_this_thread, false};
}

std::string WithoutLineEnd(std::string message) {
  while (!message.empty() && (message.back() == '\n' || message.back() == ' ')) message.pop_back();
  return message;
}

void OnMessage(void* context, int level, const char* format, va_list arguments) {
  if (level > AV_LOG_WARNING) return;
  const Origin origin = OriginOf(context);
  const bool is_error = level <= AV_LOG_ERROR;
  if (origin.log == nullptr || (!is_error && !origin.is_decoder)) return;
  char text[512];
  if (std::vsnprintf(text, sizeof text, format, arguments) < 0) return;
  try {
    if (is_error) {
      origin.log->Add(text, origin.is_decoder);
    } else {
      origin.log->AddDecoderWarning(text);
    }
  } catch (...) {  // a C library cannot pass an exception on; the message is lost
  }
}

}  // namespace

void LibavLog::Install() {
  [[maybe_unused]] static const bool installed = [] {
    av_log_set_callback(OnMessage);
    return true;
  }();
}

LibavLog::OfThisThread::OfThisThread(LibavLog& log) { log_of_this_thread = &log; }
LibavLog::OfThisThread::~OfThisThread() { log_of_this_thread = nullptr; }

void LibavLog::AddDecoderWarning(std::string message) {
  message = WithoutLineEnd(std::move(message));
  const MutexLock lock(mutex_);
  if (first_decoder_message_.empty()) first_decoder_message_ = std::move(message);
}

void LibavLog::NewDecoder() {
  const MutexLock lock(mutex_);
  first_decoder_message_.clear();
}

void LibavLog::Add(std::string message, bool from_decoder) {
  message = WithoutLineEnd(std::move(message));
  const MutexLock lock(mutex_);
  if (from_decoder) {
    ++decoder_errors_;
    if (first_decoder_message_.empty()) first_decoder_message_ = message;
  }
  if (std::string_view(message).starts_with("Picture size ")) refused_size_ = true;
  if (!message.empty()) last_error_ = std::move(message);
}

std::string LibavLog::last_error() const {
  const MutexLock lock(mutex_);
  return last_error_;
}

std::string LibavLog::first_decoder_message() const {
  const MutexLock lock(mutex_);
  return first_decoder_message_;
}

bool LibavLog::refused_size() const {
  const MutexLock lock(mutex_);
  return refused_size_;
}

std::int64_t LibavLog::decoder_errors() const {
  const MutexLock lock(mutex_);
  return decoder_errors_;
}

}  // namespace glint
