// SPDX-License-Identifier: Apache-2.0
#include "decode/child/nvdec.h"

#include <dlfcn.h>
#include <fmt/format.h>

extern "C" {
#include <libavutil/hwcontext.h>
}

#include "decode/child/libav_log.h"
#include "glint/error.h"

namespace glint {
namespace {

class Nvdec final : public VideoAccelerator {
 public:
  explicit Nvdec(AVBufferRef* device) : device_(device) {}
  ~Nvdec() override { av_buffer_unref(&device_); }
  Nvdec(const Nvdec&) = delete;
  Nvdec& operator=(const Nvdec&) = delete;

  std::string_view name() const override { return "nvdec"; }
  AVPixelFormat surface() const override { return AV_PIX_FMT_CUDA; }
  AVBufferRef* device() const override { return device_; }
  int Download(AVFrame& to, const AVFrame& picture) override {
    return av_hwframe_transfer_data(&to, &picture, 0);
  }

 private:
  AVBufferRef* device_;
};

absl::Status Unavailable(std::string_view why) {
  return Error(Reason::kDeviceUnavailable, fmt::format("NVDEC does not work here: {}", why));
}

}  // namespace

absl::StatusOr<std::shared_ptr<VideoAccelerator>> OpenNvdec() {
  const AVHWDeviceType type = av_hwdevice_find_type_by_name("cuda");
  if (type == AV_HWDEVICE_TYPE_NONE) return Unavailable("this FFmpeg was built without it");
  LibavLog::Install();
  LibavLog log;
  AVBufferRef* device = nullptr;
  int opened = 0;
  {
    const LibavLog::OfThisThread listening(log);
    opened = av_hwdevice_ctx_create(&device, type, nullptr, nullptr, 0);
  }
  if (opened < 0) {
    const std::string detail = log.last_error();
    return Unavailable(detail.empty() ? LibavError(opened) : detail);
  }
  auto nvdec = std::make_shared<Nvdec>(device);
  // FFmpeg loads it when the first picture comes; a confined process could not do that any more.
  if (absl::Status loaded = LoadVideoDriver("libnvcuvid.so.1"); !loaded.ok()) return loaded;
  return nvdec;
}

absl::Status LoadVideoDriver(const char* library) {
  // Never unloaded: the driver's threads may run in it.
  if (dlopen(library, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE) != nullptr) return absl::OkStatus();
  return Unavailable(
      fmt::format("the driver's {} is missing (install the driver's part that decodes, Debian's "
                  "libnvcuvid1; a container gets it when its NVIDIA_DRIVER_CAPABILITIES name "
                  "video)",
                  library));
}

Acceleration NoNvdec(std::string_view why) {
  return {nullptr, fmt::format("nvdec was asked for, but {}", why)};
}

Acceleration ChooseDecoder(DecodeMode mode) {
  switch (mode) {
    case DecodeMode::kCpu:
      return {nullptr, "asked for"};
    case DecodeMode::kNvdec: {
      auto nvdec = OpenNvdec();
      return nvdec.ok() ? Acceleration{*std::move(nvdec), "asked for"}
                        : NoNvdec(Message(nvdec.status()));
    }
    case DecodeMode::kAuto:
      break;
  }
  return {nullptr, "auto: nothing says that NVDEC is faster here"};
}

}  // namespace glint
