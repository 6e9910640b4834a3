// SPDX-License-Identifier: Apache-2.0
#include "decode/sandbox/video_opener.h"

#include <fmt/format.h>

#include <memory>
#include <mutex>
#include <utility>

#include "glint/error.h"

namespace glint {
namespace {

/// Passes on the first text of each kind.
class Warnings {
 public:
  explicit Warnings(std::function<void(std::string_view)> warn) : warn_(std::move(warn)) {}
  void Missing(std::string_view what) {
    std::call_once(missing_, [&] {
      if (warn_) warn_(fmt::format("the decode sandbox is weaker here: refused were {}", what));
    });
  }
  void Unsandboxed(std::string_view why) {
    std::call_once(unsandboxed_, [&] {
      if (warn_) warn_(fmt::format("videos are decoded without the sandbox: {}", why));
    });
  }

 private:
  std::function<void(std::string_view)> warn_;
  std::once_flag missing_;
  std::once_flag unsandboxed_;
};

}  // namespace

VideoOpener MakeVideoOpener(SandboxMode mode, DecodeMode decode,
                            std::function<void(std::string_view)> warn,
                            const SandboxOptions& sandbox) {
  if (mode == SandboxMode::kOff) {
    return
        [decode](const std::filesystem::path& file, VideoOptions how, const CancelToken& cancel) {
          how.decode = decode;
          return OpenVideo(file, how, cancel);
        };
  }
  const auto warnings = std::make_shared<Warnings>(std::move(warn));
  SandboxOptions options = sandbox;
  options.on_missing = [warnings](std::string_view what) { warnings->Missing(what); };
  return [mode, decode, warnings, options](
             const std::filesystem::path& file, VideoOptions how,
             const CancelToken& cancel) -> absl::StatusOr<std::unique_ptr<VideoSource>> {
    how.decode = decode;
    bool started = false;
    auto video = OpenVideoInSandbox(file, how, cancel, options, &started);
    if (video.ok() || started) return video;
    const std::string_view why = Message(video.status());
    if (mode == SandboxMode::kOn) {
      return Error(Reason::kDeviceUnavailable,
                   fmt::format("the decode sandbox does not work here ({}); see glint doctor, or "
                               "use --decode-sandbox=auto",
                               why));
    }
    warnings->Unsandboxed(why);
    return OpenVideo(file, how, cancel);
  };
}

}  // namespace glint
