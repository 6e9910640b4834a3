// SPDX-License-Identifier: Apache-2.0
#include "decode/sandbox/video_opener.h"

#include <fmt/format.h>

#include <memory>
#include <mutex>
#include <utility>

#include "base/status_macros.h"
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

VideoOpener OpenerWith(const VideoOpenerOptions& options, SandboxOptions sandbox) {
  const auto warnings = std::make_shared<Warnings>(options.warn);
  sandbox.confined = options.sandbox != SandboxMode::kOff;
  sandbox.whole = options.sandbox == SandboxMode::kOn;
  sandbox.on_missing = [warnings](std::string_view what) { warnings->Missing(what); };
  if (!sandbox.confined) warnings->Unsandboxed("--decode-sandbox=off");
  return [mode = options.sandbox, decode = options.decode, warnings, sandbox](
             const std::filesystem::path& file, VideoOptions how,
             const CancelToken& cancel) -> absl::StatusOr<std::unique_ptr<VideoSource>> {
    how.decode = decode.value_or(how.decode);
    bool started = false;
    auto video = OpenVideoInSandbox(file, how, cancel, sandbox, &started);
    if (video.ok() || started || mode == SandboxMode::kOff) return video;
    const std::string_view why = Message(video.status());
    if (mode == SandboxMode::kOn) {
      return Error(Reason::kDeviceUnavailable,
                   fmt::format("the decode sandbox does not work here ({}); see glint doctor, or "
                               "use --decode-sandbox=off for videos that you trust",
                               why));
    }
    // Without a decoder, or memory to share with it, there is no way without a sandbox either.
    const auto reason = ReasonOf(video.status());
    if (reason == Reason::kDeviceUnavailable || reason == Reason::kOutOfMemory) return video;
    warnings->Unsandboxed(why);
    SandboxOptions open = sandbox;
    open.confined = false;
    return OpenVideoInSandbox(file, how, cancel, open);
  };
}

absl::StatusOr<VideoOpener> MakeVideoOpener(const VideoOpenerOptions& options) {
  SandboxOptions sandbox;
  GLINT_ASSIGN_OR_RETURN(sandbox.program, HelperProgram::Find(options.decoder));
  return OpenerWith(options, std::move(sandbox));
}

absl::StatusOr<std::unique_ptr<VideoSource>> OpenVideo(const std::filesystem::path& file,
                                                       const VideoOptions& options,
                                                       const CancelToken& cancel) {
  GLINT_ASSIGN_OR_RETURN(const VideoOpener open_video, MakeVideoOpener({}));
  return open_video(file, options, cancel);
}

}  // namespace glint
