// SPDX-License-Identifier: Apache-2.0
#include "decode/sandbox/sandboxed_video.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

#include "base/status_macros.h"
#include "decode/build_id.h"
#include "decode/input_file.h"
#include "decode/luma.h"
#include "decode/sandbox/channel.h"
#include "decode/sandbox/child_process.h"
#include "decode/sandbox/frame_check.h"
#include "decode/sandbox/observed_time.h"
#include "decode/sandbox/probe_video.h"
#include "decode/sandbox/shared_frames.h"
#include "decode/sandbox/wire.h"
#include "glint/error.h"

namespace glint {
namespace sandbox {
namespace {

using Duration = ObservedTime::Clock::duration;

constexpr int kFramesAhead = 2;  // that the child may send before they are asked for
constexpr std::chrono::milliseconds kBetweenLooks{20};    // at the cancel token
constexpr std::chrono::milliseconds kBetweenCounts{200};  // of its threads
constexpr Duration kLongestLook = 3 * kBetweenLooks;      // of those, what counts towards a limit
constexpr std::chrono::seconds kStartTime{60};            // for a child to say which build it is
constexpr std::chrono::seconds kLastTime{2};              // for one that hung up to end by itself
constexpr std::size_t kMaxGreetingBytes = 200;
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
  /// Starts a child and makes sure that it is of this build. Errors: DEVICE_UNAVAILABLE; those of
  /// `cancel`
  static absl::StatusOr<std::unique_ptr<Child>> Launch(std::string name, int video,
                                                       const SandboxOptions& sandbox,
                                                       const VideoOptions& options,
                                                       const CancelToken& cancel) {
    GLINT_ASSIGN_OR_RETURN(auto ends, Channel::MakePair());
    GLINT_ASSIGN_OR_RETURN(
        auto process, ChildProcess::Start(*sandbox.program, sandbox.arguments, ends[1].number(),
                                          video, EnvironmentFor(options.decode)));
    ends[1] = Descriptor();
    std::unique_ptr<Child> child(
        new Child(std::move(name), std::move(process), std::move(ends[0]), sandbox.patience));
    if (sandbox.confined) child->max_threads_ = MaxThreads(options.threads);
    GLINT_RETURN_IF_ERROR(child->CheckBuild(*sandbox.program, cancel));
    return child;
  }

  /// Sends a message. Errors: DECODER_DIED
  absl::Status Say(const WorkerMessage& message, int passed = -1) {
    return channel_.Send(Serialise(message), passed) ? absl::OkStatus() : Died();
  }

  /// What has been waited so far.
  Duration Waited() { return waited_.Look(); }

  /// The child's next message but Alive. Errors: DECODER_DIED; those of `cancel`
  /// @param until  of Waited(): when even a child that says that it is alive has taken too long
  absl::StatusOr<ChildMessage> Hear(const CancelToken& cancel, Duration until) {
    while (true) {
      const Duration silent = Waited() + patience_;
      GLINT_ASSIGN_OR_RETURN(const bool heard, WaitUntil(cancel, std::min(until, silent)));
      if (!heard) return Dead("hung: no frame came of it for too long, and it was stopped");
      const auto received = channel_.Receive();
      if (!received) return Died();
      auto message = ParseChildMessage(received->bytes);
      if (!message || received->passed.open()) return Lied("no message of its protocol");
      if (!std::holds_alternative<Alive>(*message)) return *std::move(message);
    }
  }

  /// The child is gone, or does not listen: ends it. @return DECODER_DIED with how it ended
  absl::Status Died() {
    const auto end = process_->WaitForEnd(kLastTime);
    return Dead(end ? DescribeEnd(*end) : "hung up, and was stopped");
  }

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

  /// Waits for the child to say something, or to end. @return false when the time is over
  absl::StatusOr<bool> WaitUntil(const CancelToken& cancel, Duration end) {
    while (true) {
      GLINT_RETURN_IF_ERROR(cancel.Check());
      if (Waited() > end) return false;  // whatever it says meanwhile
      GLINT_RETURN_IF_ERROR(CheckThreads());
      if (channel_.Wait(kBetweenLooks)) return true;
      GLINT_RETURN_IF_ERROR(WhileWaiting());
    }
  }

  /// Counts its threads now and then: where it is no user of its own, no limit of the system does.
  absl::Status CheckThreads() {
    const auto now = ObservedTime::Clock::now();
    if (now - counted_ < kBetweenCounts) return absl::OkStatus();
    counted_ = now;
    if (process_->Threads() <= max_threads_) return absl::OkStatus();
    return Dead("started more threads than it may, and was stopped");
  }

  /// The first that the child says is which build it is.
  absl::Status CheckBuild(const HelperProgram& program, const CancelToken& cancel) {
    const Duration patience = std::min<Duration>(patience_, kStartTime);
    GLINT_ASSIGN_OR_RETURN(const bool heard, WaitUntil(cancel, Waited() + patience));
    const auto received = heard ? channel_.Receive() : std::nullopt;
    const std::string said =
        received ? std::string(received->bytes.begin(), received->bytes.end()) : "";
    const std::string expected = Greeting();
    if (said == expected) return absl::OkStatus();
    const auto end = heard && !received ? process_->WaitForEnd(kLastTime) : std::nullopt;
    if (end && WIFSIGNALED(*end)) return Dead(DescribeEnd(*end));  // it had no say
    const std::string what = said.starts_with(kGreeting) && said.size() < kMaxGreetingBytes
                                 ? fmt::format("is {}", said)
                             : received ? "is another program"
                             : end ? fmt::format("{} before it said what it is", DescribeEnd(*end))
                                   : "does not say what it is";
    return Error(
        Reason::kDeviceUnavailable,
        fmt::format("the decoder {} {}; here {} is needed: install both from one build, or "
                    "name the right one by --decoder or GLINT_DECODER",
                    program.path().string(), what, expected));
  }

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
  ObservedTime waited_{kLongestLook};
  int max_threads_ = std::numeric_limits<int>::max();
  ObservedTime::Clock::time_point counted_;
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
  void DescribeSandbox(std::string state) { info_.sandbox = std::move(state); }

  absl::Status Open() {
    GLINT_RETURN_IF_ERROR(ReturnSlots(kFramesAhead));
    GLINT_ASSIGN_OR_RETURN(const ChildMessage message, Answer());
    const auto* opened = std::get_if<Opened>(&message);
    const auto info =
        opened ? CheckedInfo(*opened, options_.limits, options_.decode) : std::nullopt;
    if (!info) return child_->Lied("no such video can be");
    info_ = *info;
    orientation_ = opened->orientation;
    summary_.truncated = opened->truncated;
    summary_.warnings = opened->warnings;
    return absl::OkStatus();
  }

  absl::StatusOr<std::optional<VideoFrame>> Next() override {
    GLINT_RETURN_IF_ERROR(cancel_.Check());
    GLINT_RETURN_IF_ERROR(failure_);
    if (child_ == nullptr) return std::nullopt;
    auto next = NextFromChild();
    if (!next.ok()) {
      failure_ = next.status();
    } else if (!next->has_value()) {
      shared_.LeaveSlots();
      child_.reset();
    }
    return next;
  }

 private:
  absl::StatusOr<std::optional<VideoFrame>> NextFromChild() {
    GLINT_ASSIGN_OR_RETURN(const ChildMessage message, Answer());
    if (const auto* ended = std::get_if<Ended>(&message)) {
      summary_.damaged = ended->damaged;
      summary_.warnings = ended->warnings;
      return std::nullopt;
    }
    const auto* frame = std::get_if<Frame>(&message);
    if (frame == nullptr) return child_->Lied("a message out of turn");
    GLINT_ASSIGN_OR_RETURN(VideoFrame taken, Take(*frame));
    GLINT_RETURN_IF_ERROR(ReturnSlots(1));
    return taken;
  }

  /// The child's next message that needs more than an answer. Errors: DECODER_DIED; what the child
  /// failed with; those of the cancel token
  absl::StatusOr<ChildMessage> Answer() {
    const Duration until = child_->Waited() + frame_time_;
    while (true) {
      GLINT_ASSIGN_OR_RETURN(ChildMessage message, child_->Hear(cancel_, until));
      if (const auto* need = std::get_if<NeedSlot>(&message)) {
        GLINT_RETURN_IF_ERROR(GiveSlot(need->bytes));
      } else if (std::holds_alternative<Starved>(message)) {
        shared_.LeaveSlots();
        GLINT_RETURN_IF_ERROR(ReturnSlots(0));
      } else if (const auto* failed = std::get_if<Failed>(&message)) {
        return FailureOf(*failed);
      } else {
        return message;
      }
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

  absl::StatusOr<VideoFrame> Take(const Frame& frame) {
    if (allowed_-- < 1) return child_->Lied("more frames than it was asked for");
    if (summary_.frames >= options_.limits.max_frames) return child_->Lied("too many frames");
    if (frame.timestamp_us <= last_us_ || frame.damaged < summary_.damaged) {
      return child_->Lied("time that runs backwards");
    }
    auto loan = shared_.Lend(frame.slot);
    if (!loan) return child_->Lied("a frame in a slot that it does not have");
    const auto picture =
        CheckedPicture(frame, info_.coded_size, loan->bytes, std::move(loan->keeper));
    if (!picture) return child_->Lied("a frame outside its slot");
    last_us_ = frame.timestamp_us;
    summary_.damaged = frame.damaged;
    VideoFrame out;
    out.index = summary_.frames++;
    out.timestamp_us = frame.timestamp_us;
    out.luma = PictureToLuma(*picture, orientation_);
    auto shared = std::make_shared<SharedPicture>(*picture, orientation_);
    shared_.Remember(shared);
    out.picture = std::move(shared);
    return out;
  }

  VideoOptions options_;
  CancelToken cancel_;
  const Duration frame_time_;  // for one frame; more than its processor time allows
  SharedFrames shared_;
  std::unique_ptr<Child> child_;  // null after the last frame
  VideoInfo info_;
  DecodeSummary summary_;
  Orientation orientation_;
  absl::Status failure_;
  int allowed_ = 0;  // frames that the child may still send
  std::int64_t last_us_ = -1;
};

/// Whether this system gives shared memory for large frames. Takes none.
absl::Status CheckSharedMemory() {
  Descriptor passed;
  return Slot::Make(std::int64_t{256} << 20, passed).status();
}

/// A child that is ready to be given a video, and what it said of itself.
struct ReadyChild {
  std::unique_ptr<Child> child;
  Ready ready;
};

/// Starts a child and waits until it has confined itself.
absl::StatusOr<ReadyChild> LaunchConfined(const std::string& name, int video,
                                          const VideoOptions& options, const CancelToken& cancel,
                                          const SandboxOptions& sandbox) {
  GLINT_ASSIGN_OR_RETURN(auto child, Child::Launch(name, video, sandbox, options, cancel));
  GLINT_RETURN_IF_ERROR(child->Say(Start{.name = name,
                                         .limits = options.limits,
                                         .threads = options.threads,
                                         .rotation = options.rotation,
                                         .memory_bytes = sandbox.memory_bytes,
                                         .cpu_s = sandbox.cpu_s,
                                         .decode = options.decode,
                                         .confined = sandbox.confined}));
  GLINT_ASSIGN_OR_RETURN(auto message, child->Hear(cancel, child->Waited() + sandbox.patience));
  auto* ready = std::get_if<Ready>(&message);
  if (ready == nullptr) return child->Lied("a message out of turn");
  if (sandbox.whole && !ready->missing.empty()) {
    return Error(Reason::kDeviceUnavailable, fmt::format("this system refuses {}", ready->missing));
  }
  return ReadyChild{std::move(child), std::move(*ready)};
}

/// The options with a program in them. Errors: those of HelperProgram::Find
absl::StatusOr<SandboxOptions> WithProgram(SandboxOptions sandbox) {
  if (sandbox.program == nullptr) {
    GLINT_ASSIGN_OR_RETURN(sandbox.program, HelperProgram::Find());
  }
  return sandbox;
}

/// @param name  of the file, for messages
/// @param why   what a video says that the CPU decodes although something else was asked for; ""
absl::StatusOr<std::unique_ptr<VideoSource>> OpenFileOnce(const std::string& name,
                                                          const OpenFile& opened,
                                                          const VideoOptions& options,
                                                          const CancelToken& cancel,
                                                          const SandboxOptions& sandbox,
                                                          const std::string& why, bool* started) {
  if (absl::Status possible = CheckSharedMemory(); !possible.ok()) {
    if (started != nullptr) *started = false;
    return possible;
  }
  auto launched = LaunchConfined(name, opened.descriptor(), options, cancel, sandbox);
  if (!launched.ok()) {
    if (started != nullptr) *started = !cancel.Check().ok();
    return launched.status();
  }
  const std::string missing = launched->ready.missing;
  if (!missing.empty() && sandbox.on_missing) sandbox.on_missing(missing);
  auto video =
      std::make_unique<SandboxedVideo>(std::move(launched->child), options, cancel, sandbox);
  GLINT_RETURN_IF_ERROR(video->Open());
  if (!why.empty()) video->ExplainDecoder(why);
  video->DescribeSandbox(!sandbox.confined ? "off"
                         : missing.empty() ? "whole"
                                           : "without " + missing);
  return video;
}

absl::StatusOr<std::unique_ptr<VideoSource>> OpenOnce(const std::filesystem::path& file,
                                                      const VideoOptions& options,
                                                      const CancelToken& cancel,
                                                      const SandboxOptions& sandbox,
                                                      const std::string& why, bool* started) {
  if (started != nullptr) *started = true;
  GLINT_ASSIGN_OR_RETURN(const OpenFile opened, OpenRegularFile(file, options.limits));
  GLINT_RETURN_IF_ERROR(cancel.Check());
  return OpenFileOnce(QuotedName(file), opened, options, cancel, sandbox, why, started);
}

}  // namespace
}  // namespace sandbox

absl::StatusOr<std::unique_ptr<VideoSource>> OpenVideoInSandbox(const std::filesystem::path& file,
                                                                const VideoOptions& options,
                                                                const CancelToken& cancel,
                                                                const SandboxOptions& sandbox,
                                                                bool* started) {
  GLINT_ASSIGN_OR_RETURN(const SandboxOptions with, sandbox::WithProgram(sandbox));
  auto video = sandbox::OpenOnce(file, options, cancel, with, "", started);
  const bool died = ReasonOf(video.status()) == Reason::kDecoderDied;
  if (!died || options.decode != DecodeMode::kNvdec) return video;
  // A driver may crash, too. That is no reason to do without the sandbox, nor without the video.
  const std::string why = fmt::format("nvdec was asked for, but {}", Message(video.status()));
  VideoOptions on_cpu = options;
  on_cpu.decode = DecodeMode::kCpu;
  return sandbox::OpenOnce(file, on_cpu, cancel, with, why, started);
}

absl::Status TryToDecode(const SandboxOptions& how, const CancelToken& cancel) {
  const auto& video = sandbox::kProbeVideo;
  const OpenFile file(memfd_create("glint-probe", MFD_CLOEXEC), std::ssize(video));
  if (file.descriptor() < 0 ||
      pwrite(file.descriptor(), video.data(), video.size(), 0) != std::ssize(video)) {
    return Error(Reason::kOutOfMemory, "no memory for a video to try the decoder with");
  }
  GLINT_ASSIGN_OR_RETURN(const SandboxOptions with, sandbox::WithProgram(how));
  GLINT_ASSIGN_OR_RETURN(const auto source, sandbox::OpenFileOnce("a video to try it with", file,
                                                                  {}, cancel, with, "", nullptr));
  int frames = 0;
  while (true) {
    GLINT_ASSIGN_OR_RETURN(const auto frame, source->Next());
    if (!frame) break;
    ++frames;
  }
  if (frames == 2) return absl::OkStatus();
  return Error(Reason::kInternal,
               fmt::format("the decoder gave {} of 2 frames of a video to try it with", frames));
}

absl::StatusOr<DecoderStatus> ProbeDecoder(const SandboxOptions& sandbox, DecodeMode decode,
                                           const CancelToken& cancel) {
  GLINT_ASSIGN_OR_RETURN(const SandboxOptions with, sandbox::WithProgram(sandbox));
  const Descriptor nothing(open("/dev/null", O_RDONLY | O_CLOEXEC));
  GLINT_RETURN_IF_ERROR(sandbox::CheckSharedMemory());
  GLINT_ASSIGN_OR_RETURN(
      const sandbox::ReadyChild launched,
      sandbox::LaunchConfined("nothing", nothing.number(), {.decode = decode}, cancel, with));
  const sandbox::Ready& ready = launched.ready;
  DecoderStatus status{.program = with.program->path(),
                       .confined = with.confined,
                       .missing = ready.missing,
                       .ffmpeg_version = ready.ffmpeg,
                       .accelerated = ready.accelerated,
                       .decoder_why = ready.decoder_why};
  for (std::size_t i = 0; i < sandbox::kCodecs.size(); ++i) {
    status.codecs.emplace_back(sandbox::kCodecs[i], ready.decodable[i]);
  }
  return status;
}

}  // namespace glint
