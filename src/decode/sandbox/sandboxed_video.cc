// SPDX-License-Identifier: Apache-2.0
#include "decode/sandbox/sandboxed_video.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <utility>

#include "decode/input_file.h"
#include "decode/luma.h"
#include "decode/nvdec.h"
#include "decode/sandbox/channel.h"
#include "decode/sandbox/child_process.h"
#include "decode/sandbox/frame_check.h"
#include "decode/sandbox/shared_frames.h"
#include "decode/sandbox/wire.h"
#include "glint/error.h"

namespace glint {
namespace sandbox {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kFramesAhead = 2;  // that the child may send before they are asked for
constexpr std::chrono::milliseconds kBetweenLooks{20};  // at the cancel token
constexpr std::chrono::seconds kSendTime{5};  // for a child that reads; its thread for that is idle

/// The reasons that an honest child can have.
constexpr std::array kChildReasons = {
    Reason::kInternal,     Reason::kInputUnreadable, Reason::kNotAVideo,  Reason::kUnsupportedVideo,
    Reason::kCorruptVideo, Reason::kLimitExceeded,   Reason::kOutOfMemory};

/// What a child needs of our environment: where the GPU's driver lies, and which GPU is meant.
std::vector<std::string> EnvironmentFor(DecodeMode decode) {
  std::vector<std::string> environment;
  if (decode != DecodeMode::kNvdec) return environment;
  for (const char* name : {"LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER"}) {
    if (const char* value = std::getenv(name); value != nullptr) {
      environment.push_back(fmt::format("{}={}", name, value));
    }
  }
  return environment;
}

/// A child and the way to talk to it.
class Child {
 public:
  static absl::StatusOr<std::unique_ptr<Child>> Launch(std::string name, int video,
                                                       const SandboxOptions& sandbox,
                                                       DecodeMode decode) {
    auto ends = Channel::MakePair();
    if (!ends.ok()) return ends.status();
    auto process = ChildProcess::Start(sandbox.program, sandbox.arguments, (*ends)[1].number(),
                                       video, EnvironmentFor(decode));
    if (!process.ok()) return process.status();
    return std::unique_ptr<Child>(
        new Child(std::move(name), *std::move(process), std::move((*ends)[0]), sandbox.patience));
  }

  /// Sends a message. Errors: DECODER_DIED
  absl::Status Say(const WorkerMessage& message, int passed = -1) {
    return channel_.Send(Serialise(message), passed) ? absl::OkStatus() : Died();
  }

  /// The child's next message but Alive. Errors: DECODER_DIED; those of `cancel`
  /// @param until  when even a child that says that it is alive has taken too long
  absl::StatusOr<ChildMessage> Hear(const CancelToken& cancel, Clock::time_point until) {
    Clock::time_point last = Clock::now();
    while (true) {
      if (absl::Status live = cancel.Check(); !live.ok()) return live;
      const Clock::time_point now = Clock::now();
      if (now - last > patience_ || now > until) {
        return Dead("hung: no frame came of it for too long, and it was stopped");
      }
      if (!channel_.Wait(kBetweenLooks)) {
        if (absl::Status told = WhileWaiting(); !told.ok()) return told;
        continue;
      }
      const auto received = channel_.Receive();
      if (!received) return Died();
      auto message = ParseChildMessage(received->bytes);
      if (!message || received->passed.open()) return Lied("no message of its protocol");
      last = Clock::now();
      if (!std::holds_alternative<Alive>(*message)) return *std::move(message);
    }
  }

  /// The child is gone, or does not listen: ends it. @return DECODER_DIED with how it ended
  absl::Status Died() { return Dead(DescribeEnd(process_->End())); }

  /// What an honest child cannot do: ends it. @return DECODER_DIED
  absl::Status Lied(std::string_view what) {
    process_->End();
    return Dead(fmt::format("gave nonsense ({})", what));
  }

  void OnWaiting(std::function<absl::Status()> while_waiting) {
    while_waiting_ = std::move(while_waiting);
  }

 private:
  Child(std::string name, std::unique_ptr<ChildProcess> process, Descriptor socket,
        std::chrono::seconds patience)
      : name_(std::move(name)),
        process_(std::move(process)),
        channel_(std::move(socket)),
        patience_(patience) {
    channel_.SetPatience(kSendTime);
  }
  absl::Status WhileWaiting() { return while_waiting_ ? while_waiting_() : absl::OkStatus(); }
  absl::Status Dead(std::string_view how) {
    process_->End();
    return Error(Reason::kDecoderDied,
                 fmt::format("the decoder's process {} while it read {}; convert the video again, "
                             "or use another one",
                             how, name_));
  }

  std::string name_;
  std::unique_ptr<ChildProcess> process_;
  Channel channel_;
  std::chrono::seconds patience_;
  std::function<absl::Status()> while_waiting_;
};

class SandboxedVideo final : public VideoSource {
 public:
  SandboxedVideo(std::unique_ptr<Child> child, const VideoOptions& options, CancelToken cancel,
                 const SandboxOptions& sandbox)
      : options_(options),
        cancel_(std::move(cancel)),
        frame_time_(std::chrono::seconds(sandbox.cpu_s) + sandbox.patience),
        shared_(sandbox.frame_bytes),
        child_(std::move(child)) {
    child_->OnWaiting([this] { return ReturnSlots(0); });
  }

  const VideoInfo& info() const override { return info_; }
  const DecodeSummary& summary() const override { return summary_; }
  void ExplainDecoder(std::string why) { info_.decoder_why = std::move(why); }

  absl::Status Open() {
    if (absl::Status asked = ReturnSlots(kFramesAhead); !asked.ok()) return asked;
    auto message = Answer();
    if (!message.ok()) return message.status();
    const auto* opened = std::get_if<Opened>(&*message);
    const auto info =
        opened ? CheckedInfo(*opened, options_.limits, options_.decode) : std::nullopt;
    if (!info) return child_->Lied("no such video can be");
    info_ = *info;
    orientation_ = opened->orientation;
    luma_ = LumaMaker(orientation_, LumaMaker::Memory::kOwn);
    summary_.truncated = opened->truncated;
    summary_.warnings = opened->warnings;
    return absl::OkStatus();
  }

  absl::StatusOr<std::optional<VideoFrame>> Next() override {
    if (absl::Status live = cancel_.Check(); !live.ok()) return live;
    if (!failure_.ok()) return failure_;
    if (child_ == nullptr) return std::nullopt;
    auto next = NextFromChild();
    if (!next.ok()) {
      failure_ = next.status();
    } else if (!next->has_value()) {
      child_.reset();
    }
    return next;
  }

 private:
  absl::StatusOr<std::optional<VideoFrame>> NextFromChild() {
    auto message = Answer();
    if (!message.ok()) return message.status();
    if (const auto* ended = std::get_if<Ended>(&*message)) {
      summary_.damaged = ended->damaged;
      summary_.warnings = ended->warnings;
      return std::nullopt;
    }
    const auto* frame = std::get_if<Frame>(&*message);
    if (frame == nullptr) return child_->Lied("a message out of turn");
    auto taken = Take(*frame);
    if (!taken.ok()) return taken;
    if (absl::Status asked = ReturnSlots(1); !asked.ok()) return asked;
    return taken;
  }

  /// The child's next message that needs more than an answer. Errors: DECODER_DIED; what the child
  /// failed with; those of the cancel token
  absl::StatusOr<ChildMessage> Answer() {
    const Clock::time_point until = Clock::now() + frame_time_;
    while (true) {
      auto message = child_->Hear(cancel_, until);
      if (!message.ok()) return message;
      absl::Status answered;
      if (const auto* need = std::get_if<NeedSlot>(&*message)) {
        answered = GiveSlot(need->bytes);
      } else if (std::holds_alternative<Starved>(*message)) {
        shared_.LeaveSlots();
        answered = ReturnSlots(0);
      } else if (const auto* failed = std::get_if<Failed>(&*message)) {
        return FailureOf(*failed);
      } else {
        return message;
      }
      if (!answered.ok()) return answered;
    }
  }

  absl::Status FailureOf(const Failed& failed) {
    const auto reason = std::ranges::find(kChildReasons, failed.reason,
                                          [](Reason r) { return std::string(Info(r).name); });
    if (reason == kChildReasons.end()) return child_->Lied("a failure that it cannot have");
    return Error(*reason, failed.message);
  }

  absl::Status GiveSlot(std::int64_t bytes) {
    const auto made = shared_.Make(bytes);
    if (!made) return child_->Say(SlotRefused{});
    return child_->Say(SlotGiven{made->slot, bytes}, made->passed.number());
  }

  absl::Status ReturnSlots(int frames) {
    More more{frames, shared_.TakeReturned()};
    if (more.frames == 0 && more.released.empty()) return absl::OkStatus();
    allowed_ += frames;
    return child_->Say(more);
  }

  absl::StatusOr<std::optional<VideoFrame>> Take(const Frame& frame) {
    if (allowed_-- < 1) return child_->Lied("more frames than it was asked for");
    if (summary_.frames >= options_.limits.max_frames) return child_->Lied("too many frames");
    if (frame.timestamp_us <= last_us_ || frame.damaged < summary_.damaged) {
      return child_->Lied("time that runs backwards");
    }
    auto loan = shared_.Lend(frame.slot);
    if (!loan) return child_->Lied("a frame in a slot that it does not have");
    const auto view = CheckedFrame(frame, info_.coded_size, loan->bytes, std::move(loan->keeper));
    if (view == nullptr) return child_->Lied("a frame outside its slot");
    last_us_ = frame.timestamp_us;
    summary_.damaged = frame.damaged;
    VideoFrame out;
    out.index = summary_.frames++;
    out.timestamp_us = frame.timestamp_us;
    const auto layout = LayoutOf(static_cast<AVPixelFormat>(frame.pixel_format));
    out.luma = luma_.Make(view, *layout, frame.full_range);
    auto picture = std::make_shared<SharedPicture>(view, *layout, frame.full_range, orientation_);
    shared_.Remember(picture);
    out.picture = std::move(picture);
    return out;
  }

  VideoOptions options_;
  CancelToken cancel_;
  const Clock::duration frame_time_;  // for one frame; more than its processor time allows
  SharedFrames shared_;
  std::unique_ptr<Child> child_;  // null after the last frame
  VideoInfo info_;
  DecodeSummary summary_;
  Orientation orientation_;
  LumaMaker luma_{Orientation{}};
  absl::Status failure_;
  int allowed_ = 0;  // frames that the child may still send
  std::int64_t last_us_ = -1;
};

/// Whether this system gives shared memory for large frames. Takes none.
absl::Status CheckSharedMemory() {
  Descriptor passed;
  return Slot::Make(std::int64_t{256} << 20, passed).status();
}

/// Starts a child and waits until it has confined itself.
absl::StatusOr<std::unique_ptr<Child>> LaunchConfined(const std::string& name, int video,
                                                      const VideoOptions& options,
                                                      const CancelToken& cancel,
                                                      const SandboxOptions& sandbox,
                                                      std::string& missing) {
  auto child = Child::Launch(name, video, sandbox, options.decode);
  if (!child.ok()) return child;
  const Start start{.name = name,
                    .limits = options.limits,
                    .threads = options.threads,
                    .rotation = options.rotation,
                    .memory_bytes = sandbox.memory_bytes,
                    .cpu_s = sandbox.cpu_s,
                    .decode = options.decode};
  if (absl::Status told = (*child)->Say(start); !told.ok()) return told;
  auto message = (*child)->Hear(cancel, Clock::now() + sandbox.patience);
  if (!message.ok()) return message.status();
  const auto* ready = std::get_if<Ready>(&*message);
  if (ready == nullptr) return (*child)->Lied("a message out of turn");
  missing = ready->missing;
  return child;
}

/// @param why  what a video says that the CPU decodes although something else was asked for; ""
absl::StatusOr<std::unique_ptr<VideoSource>> OpenOnce(const std::filesystem::path& file,
                                                      const VideoOptions& options,
                                                      const CancelToken& cancel,
                                                      const SandboxOptions& sandbox,
                                                      const std::string& why, bool* started) {
  if (started != nullptr) *started = true;
  const auto opened = OpenRegularFile(file, options.limits);
  if (!opened.ok()) return opened.status();
  if (absl::Status live = cancel.Check(); !live.ok()) return live;
  if (absl::Status possible = CheckSharedMemory(); !possible.ok()) {
    if (started != nullptr) *started = false;
    return possible;
  }
  std::string missing;
  auto child =
      LaunchConfined(QuotedName(file), opened->descriptor(), options, cancel, sandbox, missing);
  if (!child.ok()) {
    if (started != nullptr) *started = !cancel.Check().ok();
    return child.status();
  }
  if (!missing.empty() && sandbox.on_missing) sandbox.on_missing(missing);
  auto video = std::make_unique<SandboxedVideo>(*std::move(child), options, cancel, sandbox);
  if (absl::Status status = video->Open(); !status.ok()) return status;
  if (!why.empty()) video->ExplainDecoder(why);
  return video;
}

}  // namespace
}  // namespace sandbox

absl::StatusOr<std::unique_ptr<VideoSource>> OpenVideoInSandbox(const std::filesystem::path& file,
                                                                const VideoOptions& options,
                                                                const CancelToken& cancel,
                                                                const SandboxOptions& sandbox,
                                                                bool* started) {
  std::string why;
  VideoOptions with = options;
  if (options.decode == DecodeMode::kNvdec) {
    auto video = sandbox::OpenOnce(file, options, cancel, sandbox, "", started);
    if (video.ok() || ReasonOf(video.status()) != Reason::kDecoderDied) return video;
    // A driver may crash, too. That is no reason to do without the sandbox, nor without the video.
    why = NoNvdec(Message(video.status())).why;
    with.decode = DecodeMode::kCpu;
  }
  return sandbox::OpenOnce(file, with, cancel, sandbox, why, started);
}

absl::StatusOr<std::string> ProbeSandbox(const SandboxOptions& sandbox) {
  const sandbox::Descriptor nothing(open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (absl::Status possible = sandbox::CheckSharedMemory(); !possible.ok()) return possible;
  std::string missing;
  auto child = sandbox::LaunchConfined("nothing", nothing.number(), {}, {}, sandbox, missing);
  if (!child.ok()) return child.status();
  return missing;
}

}  // namespace glint
