// SPDX-License-Identifier: Apache-2.0
#include "decode/sandbox/wire.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>
#include <utility>

#include "decode/build_id.h"

namespace glint::sandbox {
namespace {

constexpr std::int64_t kMaxInt = std::numeric_limits<int>::max();
constexpr std::int64_t kMaxInt64 = std::numeric_limits<std::int64_t>::max();

/// Appends values in the machine's own byte order: both ends are the same program.
class Writer {
 public:
  static constexpr bool kReads = false;

  template <class T>
  void Number(T& value, std::int64_t /*least*/, std::int64_t /*most*/) {
    Bytes(static_cast<std::int64_t>(value));
  }
  void Real(double& value) { Bytes(value); }
  void Text(std::string& text) {
    // Cut here rather than refused there: a long path must not make a message unreadable.
    const std::size_t kept = std::min(text.size(), kMaxTextBytes);
    Bytes(static_cast<std::int64_t>(kept));
    bytes_.insert(bytes_.end(), text.begin(), text.begin() + static_cast<std::ptrdiff_t>(kept));
  }
  std::vector<std::uint8_t> Take() { return std::move(bytes_); }

 private:
  template <class T>
  void Bytes(T value) {
    const auto* from = reinterpret_cast<const std::uint8_t*>(&value);
    bytes_.insert(bytes_.end(), from, from + sizeof value);
  }
  std::vector<std::uint8_t> bytes_;
};

/// Takes values off the front; the first that is not as it should be spoils the rest.
class Reader {
 public:
  static constexpr bool kReads = true;

  explicit Reader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  template <class T>
  void Number(T& value, std::int64_t least, std::int64_t most) {
    std::int64_t read = 0;
    Bytes(read);
    if (read < least || read > most) sound_ = false;
    if (sound_) value = static_cast<T>(read);
  }
  void Real(double& value) {
    double read = 0;
    Bytes(read);
    if (!std::isfinite(read) || read < 0) sound_ = false;
    if (sound_) value = read;
  }
  void Text(std::string& text) {
    std::size_t length = 0;
    Number(length, 0, kMaxTextBytes);
    if (length > bytes_.size()) sound_ = false;
    if (!sound_) return;
    text.assign(reinterpret_cast<const char*>(bytes_.data()), length);
    bytes_ = bytes_.subspan(length);
  }
  bool Finished() const { return sound_ && bytes_.empty(); }

 private:
  template <class T>
  void Bytes(T& value) {
    if (bytes_.size() < sizeof value) sound_ = false;
    if (!sound_) return;
    std::memcpy(&value, bytes_.data(), sizeof value);
    bytes_ = bytes_.subspan(sizeof value);
  }
  std::span<const std::uint8_t> bytes_;
  bool sound_ = true;
};

// One description of every message serves both directions.

template <class Io, class T, class Each>
void List(Io& io, std::vector<T>& values, std::size_t most, const Each& each) {
  std::size_t count = std::min(values.size(), most);
  io.Number(count, 0, static_cast<std::int64_t>(most));
  if constexpr (Io::kReads) values.resize(count);
  for (std::size_t i = 0; i < count; ++i) each(values[i]);
}

template <class Io>
void Warnings(Io& io, std::vector<std::string>& warnings) {
  List(io, warnings, kMaxWarnings, [&](std::string& text) { io.Text(text); });
}

/// A rotation that is given, or -1.
template <class Io>
void Rotation(Io& io, std::optional<int>& rotation) {
  int degrees = rotation.value_or(-1);
  io.Number(degrees, -1, 270);
  if constexpr (Io::kReads) rotation = degrees < 0 ? std::nullopt : std::optional(degrees);
}

template <class Io>
void Fields(Io& io, Start& m) {
  io.Text(m.name);
  io.Number(m.limits.max_pixels, 0, kMaxInt64);
  io.Number(m.limits.max_side, 0, kMaxInt);
  io.Number(m.limits.min_side, 0, kMaxInt);
  io.Number(m.limits.max_frames, 0, kMaxInt64);
  io.Real(m.limits.max_duration_s);
  io.Number(m.limits.max_streams, 0, kMaxInt);
  io.Number(m.limits.max_bytes, 0, kMaxInt64);
  io.Number(m.threads, 0, kMaxInt);
  Rotation(io, m.rotation);
  io.Number(m.memory_bytes, 0, kMaxInt64);
  io.Number(m.cpu_s, 0, kMaxInt64);
  io.Number(m.decode, 0, static_cast<std::int64_t>(DecodeMode::kNvdec));
  io.Number(m.confined, 0, 1);
}
template <class Io>
void Fields(Io& io, SlotGiven& m) {
  io.Number(m.slot, 0, kMaxSlots - 1);
  io.Number(m.bytes, 1, kMaxInt64);
}
template <class Io>
void Fields(Io& /*io*/, SlotRefused& /*m*/) {}
template <class Io>
void Fields(Io& io, More& m) {
  io.Number(m.frames, 0, kMaxInt);
  List(io, m.released, kMaxSlots, [&](int& slot) { io.Number(slot, 0, kMaxSlots - 1); });
}
template <class Io>
void Fields(Io& io, Ready& m) {
  io.Text(m.missing);
  io.Text(m.ffmpeg);
  for (bool& can : m.decodable) io.Number(can, 0, 1);
  io.Number(m.accelerated, 0, 1);
  io.Text(m.decoder_why);
}
template <class Io>
void Fields(Io& /*io*/, Alive& /*m*/) {}
template <class Io>
void Fields(Io& io, NeedSlot& m) {
  io.Number(m.bytes, 1, kMaxInt64);
}
template <class Io>
void Fields(Io& /*io*/, Starved& /*m*/) {}
template <class Io>
void Fields(Io& io, Opened& m) {
  io.Text(m.container);
  io.Text(m.codec);
  io.Text(m.pixel_format);
  io.Number(m.coded_size.width, 1, kMaxInt);
  io.Number(m.coded_size.height, 1, kMaxInt);
  io.Number(m.orientation.transpose, 0, 1);
  io.Number(m.orientation.flip_x, 0, 1);
  io.Number(m.orientation.flip_y, 0, 1);
  io.Number(m.frames, 0, kMaxInt64);
  io.Real(m.duration_s);
  io.Real(m.frames_per_s);
  io.Number(m.bit_depth, 8, 16);
  io.Number(m.full_range, 0, 1);
  io.Number(m.truncated, 0, 1);
  io.Text(m.decoder);
  io.Text(m.decoder_why);
  Warnings(io, m.warnings);
}
template <class Io>
void Layout(Io& io, PixelLayout& layout) {
  for (PixelLayout::Component& c : layout.components) {
    io.Number(c.plane, 0, kPlanes - 1);
    io.Number(c.step, 1, 8);
    io.Number(c.offset, 0, 7);
    io.Number(c.shift, 0, 8);
  }
  io.Number(layout.depth, 8, 16);
  io.Number(layout.gray, 0, 1);
  io.Number(layout.chroma_shift_x, 0, 2);
  io.Number(layout.chroma_shift_y, 0, 2);
}
template <class Io>
void Fields(Io& io, Frame& m) {
  io.Number(m.slot, 0, kMaxSlots - 1);
  Layout(io, m.layout);
  io.Number(m.matrix, 0, static_cast<std::int64_t>(ColorMatrix::kFcc));
  io.Number(m.chroma_site, 0, static_cast<std::int64_t>(ChromaSite::kTop));
  io.Number(m.full_range, 0, 1);
  io.Number(m.timestamp_us, 0, kMaxInt64);
  io.Number(m.damaged, 0, kMaxInt64);
  for (std::int64_t& offset : m.offset) io.Number(offset, 0, kMaxInt64);
  for (std::int64_t& stride : m.stride) io.Number(stride, -kMaxInt, kMaxInt);
}
template <class Io>
void Fields(Io& io, Ended& m) {
  io.Number(m.damaged, 0, kMaxInt64);
  Warnings(io, m.warnings);
}
template <class Io>
void Fields(Io& io, Failed& m) {
  io.Text(m.reason);
  io.Text(m.message);
}

template <class Message>
std::vector<std::uint8_t> Write(Message message) {
  Writer writer;
  std::size_t kind = message.index();
  writer.Number(kind, 0, 0);
  std::visit([&](auto& fields) { Fields(writer, fields); }, message);
  return writer.Take();
}

/// Sets the variant to its alternative number `kind`, empty.
template <class Message, std::size_t... kIndex>
void Choose(Message& message, std::size_t kind, std::index_sequence<kIndex...> /*kinds*/) {
  ((kIndex == kind ? void(message.template emplace<kIndex>()) : void()), ...);
}

template <class Message>
std::optional<Message> Read(std::span<const std::uint8_t> bytes) {
  constexpr std::size_t kKinds = std::variant_size_v<Message>;
  if (bytes.size() > kMaxMessageBytes) return std::nullopt;
  Reader reader(bytes);
  std::size_t kind = kKinds;
  reader.Number(kind, 0, static_cast<std::int64_t>(kKinds) - 1);
  if (kind >= kKinds) return std::nullopt;
  Message message;
  Choose(message, kind, std::make_index_sequence<kKinds>());
  std::visit([&](auto& fields) { Fields(reader, fields); }, message);
  return reader.Finished() ? std::optional(std::move(message)) : std::nullopt;
}

}  // namespace

std::string Greeting() { return std::string(kGreeting) + std::string(DecodeBuildId()); }

std::vector<std::uint8_t> Serialise(const WorkerMessage& message) { return Write(message); }
std::vector<std::uint8_t> Serialise(const ChildMessage& message) { return Write(message); }

std::optional<WorkerMessage> ParseWorkerMessage(std::span<const std::uint8_t> bytes) {
  return Read<WorkerMessage>(bytes);
}
std::optional<ChildMessage> ParseChildMessage(std::span<const std::uint8_t> bytes) {
  return Read<ChildMessage>(bytes);
}

}  // namespace glint::sandbox
