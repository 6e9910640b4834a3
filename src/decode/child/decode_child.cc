// SPDX-License-Identifier: Apache-2.0
#include "decode/child/decode_child.h"

#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <thread>
#include <utility>

#include "base/catch_exceptions.h"
#include "base/mutex.h"
#include "base/status_macros.h"
#include "decode/child/confine.h"
#include "decode/child/decoders.h"
#include "decode/child/libav_picture.h"
#include "decode/child/nvdec.h"
#include "decode/child/raw_video.h"
#include "decode/child/slot_memory.h"
#include "decode/sandbox/channel.h"
#include "decode/sandbox/child_process.h"
#include "decode/sandbox/wire.h"
#include "glint/error.h"

namespace glint {
namespace sandbox {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kExitStarted = 0;
constexpr int kExitMisused = 2;
constexpr std::chrono::seconds kBetweenSignsOfLife{1};

/// What a child that was cut off from its worker does: there is nobody left to tell.
[[noreturn]] void Leave() { _exit(kExitStarted); }

/// A decoder that serves one worker.
class DecodeChild {
 public:
  explicit DecodeChild(const Channel& worker) : worker_(worker) {}

  /// Decodes to the end, or until the worker is gone.
  [[noreturn]] void Serve(const Start& start, OpenFile file, Acceleration acceleration) {
    // It alone reads from the worker, so that the end of the worker ends this process whatever the
    // decoder is doing.
    const absl::Status status = CatchExceptions(
        [&] {
          std::thread([this] { Listen(); }).detach();
          return Decode(start, std::move(file), std::move(acceleration));
        },
        "the decoder's memory is out while decoding " + start.name + "; try a smaller video");
    if (!status.ok()) {
      const Reason reason = ReasonOf(status).value_or(Reason::kInternal);
      Say(Failed{std::string(Info(reason).name), std::string(Message(status))});
    }
    while (true) pause();  // until the worker hangs up
  }

 private:
  void Say(const ChildMessage& message) {
    const MutexLock lock(speaking_);
    if (!worker_.Send(Serialise(message))) Leave();
  }

  void RequestSlot(std::int64_t bytes) { Say(NeedSlot{bytes}); }

  void Listen() {
    try {
      while (const auto received = worker_.Receive()) {
        const auto message = ParseWorkerMessage(received->bytes);
        if (!message) break;
        if (const auto* more = std::get_if<More>(&*message)) {
          memory_.Release(more->released);
          const MutexLock lock(mutex_);
          allowed_ += more->frames;
          changed_.NotifyAll();
        } else if (const auto* given = std::get_if<SlotGiven>(&*message)) {
          auto slot = Slot::Map(received->passed, given->bytes);
          if (slot.ok()) {
            memory_.Add(given->slot, *std::move(slot));
          } else {
            memory_.Refuse();
          }
        } else if (std::holds_alternative<SlotRefused>(*message)) {
          memory_.Refuse();
        }
      }
    } catch (const std::exception&) {  // out of memory
    }
    Leave();
  }

  /// Shows the worker that long work without a frame goes on: pictures are still being decoded.
  class SignsOfLife final : public FrameMemory {
   public:
    explicit SignsOfLife(DecodeChild& child) : child_(child) {}
    int Allocate(AVCodecContext& codec, AVFrame& frame, int flags) override {
      {
        const MutexLock lock(mutex_);
        if (Clock::now() - last_ > kBetweenSignsOfLife) {
          last_ = Clock::now();
          child_.Say(Alive{});
        }
      }
      return child_.memory_.Allocate(codec, frame, flags);
    }

   private:
    DecodeChild& child_;
    Mutex mutex_;
    Clock::time_point last_ ABSL_GUARDED_BY(mutex_) = Clock::now();
  };

  absl::Status Decode(const Start& start, OpenFile file, Acceleration acceleration) {
    GLINT_ASSIGN_OR_RETURN(InputFile input, InspectFile(start.name, std::move(file)));
    const VideoOptions options{
        .limits = start.limits, .threads = start.threads, .rotation = start.rotation};
    GLINT_ASSIGN_OR_RETURN(
        const auto video,
        RawVideo::Open(std::move(input), options, &signs_of_life_, std::move(acceleration)));
    SayOpened(*video);
    while (true) {
      GLINT_ASSIGN_OR_RETURN(const auto next, video->Next());
      const DecodeSummary& summary = video->summary();
      if (!next.has_value()) {
        Say(Ended{summary.damaged, summary.warnings});
        return absl::OkStatus();
      }
      GLINT_RETURN_IF_ERROR(SendFrame(*next, summary.damaged));
    }
  }

  void SayOpened(const RawVideo& video) {
    const VideoInfo& info = video.info();
    Say(Opened{.container = info.container,
               .codec = info.codec,
               .pixel_format = info.pixel_format,
               .coded_size = info.coded_size,
               .orientation = video.orientation(),
               .frames = info.frames,
               .duration_s = info.duration_s,
               .frames_per_s = info.frames_per_s,
               .bit_depth = info.bit_depth,
               .full_range = info.full_range,
               .truncated = video.summary().truncated,
               .decoder = info.decoder,
               .decoder_why = info.decoder_why,
               .warnings = video.summary().warnings});
  }

  absl::Status SendFrame(const RawFrame& raw, std::int64_t damaged) {
    {
      const MutexLock lock(mutex_);
      changed_.Wait(mutex_,
                    [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return allowed_ > 0; });
      --allowed_;
    }
    const auto slot = memory_.Lend(raw.picture, [this] { Say(Starved{}); });
    if (!slot) {
      return Error(Reason::kOutOfMemory,
                   "no memory is left for decoded frames; try a smaller video");
    }
    const AVFrame& lent = memory_.Lent(*slot);
    const std::uint8_t* base = lent.buf[0]->data;
    const PlanarPicture picture = PictureOf(raw.picture, raw.full_range);
    Frame frame{.slot = *slot,
                .layout = picture.layout,
                .matrix = picture.matrix,
                .chroma_site = picture.chroma_site,
                .full_range = raw.full_range,
                .timestamp_us = raw.timestamp_us,
                .damaged = damaged};
    for (std::size_t i = 0; i < frame.offset.size(); ++i) {
      if (lent.data[i] == nullptr) continue;
      frame.offset[i] = lent.data[i] - base;
      frame.stride[i] = lent.linesize[i];
    }
    Say(frame);
    return absl::OkStatus();
  }

  const Channel& worker_;
  SlotMemory memory_{[this](std::int64_t bytes) { RequestSlot(bytes); }};
  SignsOfLife signs_of_life_{*this};
  Mutex speaking_;
  Mutex mutex_;
  CondVar changed_;
  int allowed_ ABSL_GUARDED_BY(mutex_) = 0;  // frames that may be sent
};

bool IsControlSocket(int descriptor) {
  int type = 0;
  socklen_t length = sizeof type;
  return getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &length) == 0 && type == SOCK_SEQPACKET;
}

/// Gives up all rights, unless told not to, and opens what shall decode on the way.
/// @param missing  as Confine says
Acceleration ConfineAndChoose(const Start& start, std::string& missing) {
  if (!start.confined) return ChooseDecoder(start.decode);
  const Confinement limits{start.memory_bytes, start.cpu_s, MaxThreads(start.threads)};
  if (start.decode != DecodeMode::kNvdec) {
    missing = Confine(limits);
    return ChooseDecoder(start.decode);
  }
  std::string no_files;
  missing = ConfineForDriver(limits, no_files);
  Acceleration chosen =
      no_files.empty() ? ChooseDecoder(start.decode)
                       : NoNvdec("this system cannot keep the GPU's driver from other files (" +
                                 no_files + "); decode without the sandbox what you trust");
  const bool with_driver = chosen.accelerator != nullptr;
  const std::string also =
      ConfineSystemCalls(with_driver ? SystemCalls::kWithDriver : SystemCalls::kDecoding);
  if (!missing.empty() && !also.empty()) missing += ", ";
  missing += also;
  return chosen;
}

Ready Describe(std::string missing, const Acceleration& acceleration) {
  Ready ready{.missing = std::move(missing),
              .ffmpeg = std::string(FfmpegVersion()),
              .accelerated = acceleration.accelerator != nullptr,
              .decoder_why = acceleration.why};
  for (std::size_t i = 0; i < kCodecs.size(); ++i) ready.decodable[i] = IsDecodable(kCodecs[i]);
  return ready;
}

}  // namespace

bool GreetWorker() {
  const std::string greeting = Greeting();
  return send(kControlDescriptor, greeting.data(), greeting.size(), MSG_NOSIGNAL) > 0;
}

int ServeWorker() {
  const Channel worker{Descriptor(kControlDescriptor)};
  struct stat about {};
  if (fstat(kVideoDescriptor, &about) != 0) return kExitMisused;
  OpenFile file(kVideoDescriptor, about.st_size);
  const auto received = worker.Receive();
  if (!received) return kExitStarted;
  const auto message = ParseWorkerMessage(received->bytes);
  const Start* start = message ? std::get_if<Start>(&*message) : nullptr;
  if (start == nullptr) return kExitMisused;
  std::string missing;
  Acceleration acceleration = ConfineAndChoose(*start, missing);
  if (!worker.Send(Serialise(Describe(std::move(missing), acceleration)))) return kExitStarted;
  DecodeChild(worker).Serve(*start, std::move(file), std::move(acceleration));
}

}  // namespace sandbox

int RunDecodeChild() {
  using namespace sandbox;
  if (!IsControlSocket(kControlDescriptor)) {
    std::fputs("glint-decode: is started by glint itself, not by hand\n", stderr);
    return kExitMisused;
  }
  close(kProgramDescriptor);
  prctl(PR_SET_NAME, "glint-decode");
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // also without a sandbox
  try {
    return GreetWorker() ? ServeWorker() : kExitStarted;
  } catch (const std::exception&) {  // memory for a few words
    return kExitMisused;
  }
}

}  // namespace glint
