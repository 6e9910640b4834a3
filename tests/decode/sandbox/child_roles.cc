// SPDX-License-Identifier: Apache-2.0
#include "decode/sandbox/child_roles.h"

#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <limits>
#include <span>
#include <thread>
#include <vector>

#include "decode/child/confine.h"
#include "decode/child/decode_child.h"
#include "decode/child/libav_picture.h"
#include "decode/sandbox/channel.h"
#include "decode/sandbox/child_process.h"
#include "decode/sandbox/wire.h"

namespace glint {
namespace {

using namespace sandbox;

constexpr std::int64_t kSlotBytes = 4096;  // of the slot that liars get: 64x48 is 4608 with chroma
constexpr Size kSize = {32, 32};           // 1536 bytes

Channel& Worker() {
  static Channel worker{Descriptor(kControlDescriptor)};
  return worker;
}

void Say(const ChildMessage& message) { Worker().Send(Serialise(message)); }
void SayBytes(const std::vector<std::uint8_t>& bytes) { Worker().Send(bytes); }

/// A crash ends this process by its signal, also under a sanitizer, which would make a report and
/// an exit code out of it.
void DieOfSignals() { std::signal(SIGSEGV, SIG_DFL); }

/// Waits until the worker has ended this process.
[[noreturn]] void WaitForTheEnd() {
  while (Worker().Receive()) {
  }
  _exit(0);
}

void BeReady() {
  Worker().Receive();
  Say(Ready{});
}

Opened GoodOpened() {
  return {.container = "matroska,webm",
          .codec = "h264",
          .pixel_format = "yuv420p",
          .coded_size = kSize,
          .frames = 3,
          .duration_s = 0.1,
          .frames_per_s = 30};
}

Frame GoodFrame() {
  return {.slot = 0,
          .layout = *LayoutOf(AV_PIX_FMT_YUV420P),
          .offset = {0, 1024, 1280, 0},
          .stride = {32, 16, 16, 0}};
}

void GetASlot() {
  Say(NeedSlot{kSlotBytes});
  while (const auto received = Worker().Receive()) {
    const auto message = ParseWorkerMessage(received->bytes);
    if (message && std::holds_alternative<SlotGiven>(*message)) return;
  }
}

/// Starts like an honest child, then says these.
Role Says(std::string name, std::vector<ChildMessage> lies) {
  return {std::move(name), [lies = std::move(lies)] {
            BeReady();
            GetASlot();
            for (const ChildMessage& lie : lies) Say(lie);
            WaitForTheEnd();
          }};
}

Role SaysOpened(std::string name, const std::function<void(Opened&)>& change) {
  Opened opened = GoodOpened();
  change(opened);
  return Says(std::move(name), {opened});
}

Role SaysFrame(std::string name, const std::function<void(Frame&)>& change) {
  Frame frame = GoodFrame();
  change(frame);
  return Says(std::move(name), {GoodOpened(), frame});
}

Role SaysRaw(std::string name, std::vector<std::uint8_t> bytes) {
  return {std::move(name), [bytes = std::move(bytes)] {
            BeReady();
            SayBytes(bytes);
            WaitForTheEnd();
          }};
}

std::vector<std::pair<Role, std::string>> MakeLies() {
  constexpr std::int64_t kHuge = std::numeric_limits<int>::max();
  std::vector<std::pair<Role, std::string>> lies;
  const auto add = [&](Role role, const char* words) { lies.emplace_back(std::move(role), words); };
  const char* const protocol = "protocol";
  add({"not-ready", [] { Say(Alive{}), Say(Starved{}), WaitForTheEnd(); }}, "out of turn");
  add(SaysRaw("one-byte", {7}), protocol);
  add(SaysRaw("unknown-kind", {99, 0, 0, 0, 0, 0, 0, 0}), protocol);
  add(SaysRaw("negative-kind", std::vector<std::uint8_t>(8, 0xFF)), protocol);
  add(SaysRaw("too-long", std::vector<std::uint8_t>(kMaxMessageBytes + 1, 0)), protocol);
  std::vector<std::uint8_t> cut = Serialise(ChildMessage(GoodOpened()));
  cut.pop_back();
  add(SaysRaw("cut", cut), protocol);
  std::vector<std::uint8_t> longer = Serialise(ChildMessage(GoodOpened()));
  longer.push_back(0);
  add(SaysRaw("longer", longer), protocol);
  add({"with-descriptor",
       [] {
         BeReady();
         Worker().Send(Serialise(ChildMessage(GoodOpened())), kVideoDescriptor);
         WaitForTheEnd();
       }},
      protocol);
  add(Says("frame-first", {GoodFrame()}), "no such video");
  add(Says("end-first", {Ended{}}), "no such video");
  add(Says("ready-again", {Ready{}}), "no such video");
  add(Says("opened-twice", {GoodOpened(), GoodOpened()}), "out of turn");
  add(Says("unknown-reason", {Failed{"NO_SUCH_REASON", "x"}}), "failure that it cannot have");
  add(Says("foreign-reason", {Failed{"UNAUTHENTICATED", "x"}}), "failure that it cannot have");
  const char* const video = "no such video";
  add(SaysOpened("container", [](Opened& o) { o.container = "hls"; }), video);
  add(SaysOpened("codec", [](Opened& o) { o.codec = "ffv1"; }), video);
  add(SaysOpened("pixel-format", [](Opened& o) { o.pixel_format = "rgb24"; }), video);
  add(SaysOpened("no-pixel-format", [](Opened& o) { o.pixel_format = "<script>"; }), video);
  add(SaysOpened("large", [](Opened& o) { o.coded_size = {kHuge, kHuge}; }), video);
  add(SaysOpened("small", [](Opened& o) { o.coded_size = {15, 64}; }), video);
  add(SaysOpened("many-frames", [](Opened& o) { o.frames = kHuge; }), video);
  add(SaysOpened("long", [](Opened& o) { o.duration_s = 1e9; }), video);
  add(SaysOpened("decoder", [](Opened& o) { o.decoder = "magic"; }), video);
  add(SaysOpened("decoder-not-asked-for", [](Opened& o) { o.decoder = "nvdec"; }), video);
  const char* const outside = "outside its slot";
  const char* const no_slot = "slot that it does not have";
  add(SaysFrame("slot-unknown", [](Frame& f) { f.slot = 1; }), no_slot);
  add(SaysFrame("slot-last", [](Frame& f) { f.slot = kMaxSlots - 1; }), no_slot);
  Frame second = GoodFrame();
  second.timestamp_us = 1;
  add(Says("slot-twice", {GoodOpened(), GoodFrame(), second}), no_slot);
  add(SaysFrame("offset-past", [](Frame& f) { f.offset[0] = kSlotBytes; }), outside);
  add(SaysFrame("offset-near",
                [](Frame& f) { f.offset[0] = kSlotBytes - std::int64_t{31} * 32 - 31; }),
      outside);
  add(SaysFrame("offset-huge",
                [](Frame& f) { f.offset[1] = std::numeric_limits<std::int64_t>::max(); }),
      outside);
  add(SaysFrame("chroma-past", [](Frame& f) { f.offset[2] = kSlotBytes - 255; }), outside);
  add(SaysFrame("stride-huge", [](Frame& f) { f.stride[0] = kHuge; }), outside);
  add(SaysFrame("stride-negative", [](Frame& f) { f.stride[0] = -32; }), outside);
  add(SaysFrame("chroma-stride", [](Frame& f) { f.stride[1] = -kHuge; }), outside);
  add(SaysFrame("wider-samples",
                [](Frame& f) {  // the last row would fit if samples had one byte
                  f.layout = *LayoutOf(AV_PIX_FMT_YUV444P16LE);
                  f.offset[2] = kSlotBytes - std::int64_t{31} * 16 - 32;
                }),
      outside);
  add(SaysFrame("packed-luma", [](Frame& f) { f.layout.components[0].step = 3; }), outside);
  add(SaysFrame("luma-elsewhere", [](Frame& f) { f.layout.components[0].plane = 1; }), outside);
  add(SaysFrame("shifted-out", [](Frame& f) { f.layout.components[1].shift = 1; }), outside);
  add(SaysFrame("depth", [](Frame& f) { f.layout.depth = kHuge; }), protocol);
  add(SaysFrame("plane", [](Frame& f) { f.layout.components[2].plane = kPlanes; }), protocol);
  add(SaysFrame("matrix", [](Frame& f) { f.matrix = static_cast<ColorMatrix>(250); }), protocol);
  add(SaysFrame("site", [](Frame& f) { f.chroma_site = static_cast<ChromaSite>(250); }), protocol);
  add(Says("time-stands", {GoodOpened(), GoodFrame(), GoodFrame()}), "time that runs backwards");
  return lies;
}

/// What the worker asks for first, left for who does it.
Start PeekStart() {
  std::vector<std::uint8_t> bytes(kMaxMessageBytes);
  const auto got = recv(kControlDescriptor, bytes.data(), bytes.size(), MSG_PEEK);
  if (got <= 0) _exit(0);
  return std::get<Start>(
      *ParseWorkerMessage(std::span(bytes).first(static_cast<std::size_t>(got))));
}

std::vector<Role> MakeOthers() {
  return {
      {"exits", [] { _exit(7); }},
      {"exits-later", [] { BeReady(), GetASlot(), Say(GoodOpened()), _exit(7); }},
      {"crashes",
       [] {
         DieOfSignals();
         BeReady(), GetASlot(), Say(GoodOpened()), std::raise(SIGSEGV);
       }},
      {"hangs-up",
       [] { BeReady(), shutdown(kControlDescriptor, SHUT_RDWR), sleep(1000), _exit(7); }},
      {"says-last-words",
       [] {
         BeReady(), GetASlot(), Say(GoodOpened());
         shutdown(kControlDescriptor, SHUT_RDWR);
         usleep(300'000);
         _exit(7);
       }},
      {"hangs", [] { BeReady(), WaitForTheEnd(); }},
      {"hangs-before-start", [] { WaitForTheEnd(); }},
      {"hangs-later", [] { BeReady(), GetASlot(), Say(GoodOpened()), WaitForTheEnd(); }},
      {"deaf",
       [] {
         BeReady(), GetASlot(), Say(GoodOpened());
         while (true) pause();
       }},
      {"in-many-threads",
       [] {
         BeReady();
         std::vector<std::jthread> threads;
         for (int i = 0; i <= MaxThreads(0); ++i) threads.emplace_back([] { pause(); });
         WaitForTheEnd();
       }},
      {"alive-for-ever",
       [] {
         BeReady();
         while (Worker().Send(Serialise(ChildMessage(Alive{})))) {
           std::this_thread::sleep_for(std::chrono::milliseconds(1));
         }
       }},
      {"spins",
       [] {
         Worker().Receive();
         Confine({std::int64_t{1} << 30, 1});
         Say(Ready{});
         for (std::atomic<unsigned> turns = 0;; ++turns) {
         }
       }},
      // What a GPU's driver may do to a child; without one it is the real child.
      {"crashes-with-nvdec",
       [] {
         DieOfSignals();
         if (PeekStart().decode == DecodeMode::kNvdec) std::raise(SIGSEGV);
         _exit(ServeWorker());
       }},
      // What a system may do to a child that confines itself; without that it is the real child.
      {"dies-confined", [] { _exit(PeekStart().confined ? 9 : ServeWorker()); }},
      // Answers like an honest child, and sends the same slot whenever it is allowed to.
      {"honest",
       [] {
         BeReady();
         GetASlot();
         Say(GoodOpened());
         Frame frame = GoodFrame();
         for (int i = 0; i < 3; ++i) {
           frame.timestamp_us = i;
           Say(frame);
           bool returned = i == 2;
           if (!returned) Say(Starved{});
           while (!returned) {
             const auto received = Worker().Receive();
             if (!received) _exit(0);
             const auto message = ParseWorkerMessage(received->bytes);
             const auto* more = message ? std::get_if<More>(&*message) : nullptr;
             returned = more != nullptr && !more->released.empty();
           }
         }
         Say(Ended{.warnings = {"a warning"}});
         WaitForTheEnd();
       }},
  };
}

}  // namespace

std::shared_ptr<const HelperProgram> ThisProgram() {
  return *HelperProgram::Find("/proc/self/exe");
}

SandboxOptions WithRole(const std::string& role) {
  SandboxOptions options;
  options.program = ThisProgram();
  options.arguments = {"role", role};
  return options;
}

const std::vector<std::pair<Role, std::string>>& LyingRoles() {
  static const auto roles = MakeLies();
  return roles;
}

const std::vector<Role>& OtherRoles() {
  static const auto roles = MakeOthers();
  return roles;
}

std::optional<int> RunAsChild(int argc, char** argv) {
  const std::vector<std::string> words(argv, argv + argc);
  if (words.size() != 3 || words[1] != "role") return std::nullopt;
  if (!words[2].starts_with("no-greeting")) GreetWorker();
  for (const auto& [role, found_by] : LyingRoles()) {
    if (role.name == words[2]) role.play();
  }
  for (const Role& role : OtherRoles()) {
    if (role.name == words[2]) role.play();
  }
  return 125;
}

}  // namespace glint
