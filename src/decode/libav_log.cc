// SPDX-License-Identifier: Apache-2.0
#include "decode/libav_log.h"

#include <cstdarg>
#include <cstdio>
#include <string_view>
#include <utility>

#include "decode/libav.h"

namespace glint {
namespace {

const AVClass* KindOf(void* context) {
  return context == nullptr ? nullptr : *static_cast<const AVClass* const*>(context);
}

// Only format and codec contexts are ours to mark; every other kind of context is left alone.
LibavLog* LogOf(void* context) {
  const AVClass* kind = KindOf(context);
  if (kind == avcodec_get_class()) {
    return static_cast<LibavLog*>(static_cast<AVCodecContext*>(context)->opaque);
  }
  if (kind == avformat_get_class()) {
    return static_cast<LibavLog*>(static_cast<AVFormatContext*>(context)->opaque);
  }
  return nullptr;
}

void OnMessage(void* context, int level, const char* format, va_list arguments) {
  if (level > AV_LOG_ERROR) return;
  LibavLog* log = LogOf(context);
  if (log == nullptr) return;
  char text[512];
  if (std::vsnprintf(text, sizeof text, format, arguments) < 0) return;
  try {
    log->Add(text, KindOf(context) == avcodec_get_class());
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

void LibavLog::Add(std::string message, bool from_decoder) {
  while (!message.empty() && (message.back() == '\n' || message.back() == ' ')) message.pop_back();
  const std::scoped_lock lock(mutex_);
  if (from_decoder) ++decoder_errors_;
  if (std::string_view(message).starts_with("Picture size ")) refused_size_ = true;
  if (!message.empty()) last_error_ = std::move(message);
}

std::string LibavLog::last_error() const {
  const std::scoped_lock lock(mutex_);
  return last_error_;
}

bool LibavLog::refused_size() const {
  const std::scoped_lock lock(mutex_);
  return refused_size_;
}

std::int64_t LibavLog::decoder_errors() const {
  const std::scoped_lock lock(mutex_);
  return decoder_errors_;
}

}  // namespace glint
