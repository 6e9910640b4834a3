// SPDX-License-Identifier: Apache-2.0
#include "decode/packed_plane.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>

namespace glint {
namespace {

/// Bytes of a vector, which every processor of 64 bits that glint runs on adds and shifts at once.
constexpr std::size_t kVector = 16;

/// A block of samples of type T: a vector wide, and so many rows that packing leaves whole vectors.
template <class T>
struct Block {
  using Vector [[gnu::vector_size(kVector)]] = T;
  using Signed [[gnu::vector_size(kVector)]] = std::make_signed_t<T>;
  static constexpr int kBits = 8 * sizeof(T);
  static constexpr int kColumns = kVector / sizeof(T);
  static constexpr int kRows = kBits;
};

template <class T>
using VectorOf = typename Block<T>::Vector;

template <class T>
VectorOf<T> Load(const void* from, std::size_t bytes = kVector) {
  VectorOf<T> vector{};
  std::memcpy(&vector, from, bytes);
  return vector;
}

/// `vector << kBy`, or `>> -kBy`. Bytes are shifted two at a time: x86 does not know single ones.
template <class T, int kBy>
VectorOf<T> Shifted(VectorOf<T> vector) {
  using Wide = VectorOf<std::uint16_t>;
  const Wide wide = reinterpret_cast<Wide>(vector);
  if constexpr (kBy == 0) return vector;
  const Wide shifted = kBy > 0 ? wide << std::max(kBy, 0) : wide >> std::max(-kBy, 0);
  const auto kept = static_cast<T>(kBy > 0 ? static_cast<T>(~T{0}) << std::max(kBy, 0)
                                           : static_cast<T>(~T{0}) >> std::max(-kBy, 0));
  return reinterpret_cast<VectorOf<T>>(shifted) & (VectorOf<T>{} + kept);
}

/// The differences of a block, none below 0: 0, -1, 1, -2 ... are 0, 1, 2, 3 ...
template <class T>
using Folded = std::array<VectorOf<T>, static_cast<std::size_t>(Block<T>::kRows)>;

template <class T>
VectorOf<T> Fold(VectorOf<T> difference) {
  using Signed = typename Block<T>::Signed;
  const auto negative = reinterpret_cast<Signed>(difference) < Signed{};
  return (difference + difference) ^ reinterpret_cast<VectorOf<T>>(negative);
}

template <class T>
VectorOf<T> Unfold(VectorOf<T> folded) {
  return Shifted<T, -1>(folded) ^ (VectorOf<T>{} - (folded & (VectorOf<T>{} + T{1})));
}

/// Bits that the greatest sample of a vector needs, given all of them or-ed together.
template <class T>
int BitsOf(VectorOf<T> all) {
  std::array<std::uint64_t, 2> halves;
  std::memcpy(halves.data(), &all, kVector);
  std::uint64_t any = halves[0] | halves[1];
  for (int bits = 32; bits >= Block<T>::kBits; bits /= 2) any |= any >> bits;
  return std::bit_width(static_cast<T>(any));
}

/// Writes the low kBits of every sample: kBits vectors.
template <class T, int kBits>
void PackBlock(const Folded<T>& folded, std::uint8_t* out) {
  constexpr int kWord = Block<T>::kBits;
  VectorOf<T> word{};
  const auto put = [&]<int kRow>() {
    constexpr int kAt = kRow * kBits % kWord;
    word |= Shifted<T, kAt>(folded[kRow]);
    if constexpr (kAt + kBits >= kWord) {
      std::memcpy(out + kRow * kBits / kWord * kVector, &word, kVector);
      word = VectorOf<T>{};
      if constexpr (kAt + kBits > kWord) word = Shifted<T, kAt - kWord>(folded[kRow]);
    }
  };
  if constexpr (kBits > 0) {
    [&]<int... kRow>(std::integer_sequence<int, kRow...>) {
      (put.template operator()<kRow>(), ...);
    }
    (std::make_integer_sequence<int, Block<T>::kRows>());
  }
}

/// The rows of a block below `above`.
template <class T, int kBits>
void UnpackBlock(const std::uint8_t* in, VectorOf<T> above, std::uint8_t* out,
                 std::ptrdiff_t stride) {
  constexpr int kWord = Block<T>::kBits;
  const auto get = [&]<int kRow>() {
    if constexpr (kBits > 0) {
      constexpr int kAt = kRow * kBits % kWord;
      const std::uint8_t* word = in + kRow * kBits / kWord * kVector;
      VectorOf<T> folded = Shifted<T, -kAt>(Load<T>(word));
      if constexpr (kAt + kBits > kWord) {
        folded |= Shifted<T, kWord - kAt>(Load<T>(word + kVector));
      }
      constexpr auto kMask = static_cast<T>(static_cast<T>(~T{0}) >> (kWord - kBits));
      above += Unfold<T>(folded & (VectorOf<T>{} + kMask));
    }
    std::memcpy(out + kRow * stride, &above, kVector);
  };
  [&]<int... kRow>(std::integer_sequence<int, kRow...>) { (get.template operator()<kRow>(), ...); }
  (std::make_integer_sequence<int, Block<T>::kRows>());
}

template <class T>
using Packer = void (*)(const Folded<T>&, std::uint8_t*);
template <class T>
using Unpacker = void (*)(const std::uint8_t*, VectorOf<T>, std::uint8_t*, std::ptrdiff_t);

/// By bits of a sample.
template <class T>
constexpr auto kPackers = []<int... kBits>(std::integer_sequence<int, kBits...>) {
  return std::array<Packer<T>, sizeof...(kBits)>{&PackBlock<T, kBits>...};
}
(std::make_integer_sequence<int, Block<T>::kBits + 1>());
template <class T>
constexpr auto kUnpackers = []<int... kBits>(std::integer_sequence<int, kBits...>) {
  return std::array<Unpacker<T>, sizeof...(kBits)>{&UnpackBlock<T, kBits>...};
}
(std::make_integer_sequence<int, Block<T>::kBits + 1>());

/// How a plane is divided into blocks.
struct Blocks {
  std::size_t across, down;
  int rows;  // of a block

  Blocks(Size size, int sample_bytes)
      : across((static_cast<std::size_t>(size.width) * static_cast<std::size_t>(sample_bytes) +
                kVector - 1) /
               kVector),
        rows(8 * sample_bytes) {
    down = static_cast<std::size_t>((size.height + rows - 1) / rows);
  }
  /// Bytes of a row of blocks at most.
  std::size_t most_bytes() const { return across * (1 + kVector * static_cast<std::size_t>(rows)); }
};

/// The rows of a row of blocks, and the one above them.
template <class T>
struct BlockRows {
  const std::uint8_t* above = nullptr;  ///< null: zeros
  std::array<const std::uint8_t*, static_cast<std::size_t>(Block<T>::kRows)> of{};
};

/// Packs one block. @param bytes  of its rows that there are, from byte `at` on
/// @return bits of a sample
template <class T>
[[gnu::always_inline]] inline std::uint8_t PackOne(const BlockRows<T>& rows, std::size_t at,
                                                   std::size_t bytes, std::uint8_t* out) {
  Folded<T> folded;
  VectorOf<T> before{}, all{};
  if (rows.above != nullptr) before = Load<T>(rows.above + at, bytes);
  for (std::size_t i = 0; i < folded.size(); ++i) {
    const VectorOf<T> samples = Load<T>(rows.of[i] + at, bytes);
    folded[i] = Fold<T>(samples - before);
    all |= folded[i];
    before = samples;
  }
  const int bits = BitsOf<T>(all);
  kPackers<T>[static_cast<std::size_t>(bits)](folded, out);
  return static_cast<std::uint8_t>(bits);
}

/// Packs one row of blocks. @return behind what was written
template <class T>
std::uint8_t* PackRow(const BlockRows<T>& rows, std::size_t row_bytes, std::size_t across,
                      std::uint8_t* out) {
  std::uint8_t* bits = out;
  out += across;
  std::size_t at = 0;
  for (; at + kVector <= row_bytes; at += kVector) {
    *bits = PackOne<T>(rows, at, kVector, out);
    out += kVector * *bits++;
  }
  if (at < row_bytes) {
    *bits = PackOne<T>(rows, at, row_bytes - at, out);
    out += kVector * *bits;
  }
  return out;
}

template <class T>
std::vector<std::uint8_t> Pack(const SampleRows& rows) {
  const Blocks blocks(rows.size, rows.sample_bytes);
  const auto row_bytes = static_cast<std::size_t>(rows.size.width) * sizeof(T);
  const auto scratch =
      std::make_unique_for_overwrite<std::uint8_t[]>(blocks.most_bytes() * blocks.down);
  std::uint8_t* end = scratch.get();
  for (int y = 0; y < rows.size.height; y += blocks.rows) {
    const auto start = [&](int of) {
      return rows.first + std::min(of, rows.size.height - 1) * rows.stride;
    };
    BlockRows<T> here{.above = y == 0 ? nullptr : start(y - 1)};
    for (int i = 0; i < blocks.rows; ++i) here.of[static_cast<std::size_t>(i)] = start(y + i);
    end = PackRow<T>(here, row_bytes, blocks.across, end);
  }
  return {scratch.get(), end};
}

template <class T>
void UnpackAll(const std::uint8_t* in, const Blocks& blocks, std::ptrdiff_t stride,
               std::uint8_t* out) {
  for (std::size_t row = 0; row < blocks.down; ++row) {
    const std::uint8_t* bits = in;
    in += blocks.across;
    for (std::size_t at = 0; at < blocks.across; ++at) {
      std::uint8_t* to = out + at * kVector;
      const VectorOf<T> above = row == 0 ? VectorOf<T>{} : Load<T>(to - stride);
      kUnpackers<T>[*bits](in, above, to, stride);
      in += kVector * *bits++;
    }
    out += blocks.rows * stride;
  }
}

}  // namespace

PackedPlane::PackedPlane(const SampleRows& rows)
    : size_(rows.size),
      sample_bytes_(rows.sample_bytes),
      bytes_(rows.sample_bytes == 1 ? Pack<std::uint8_t>(rows) : Pack<std::uint16_t>(rows)) {}

std::ptrdiff_t PackedPlane::stride() const {
  return static_cast<std::ptrdiff_t>(Blocks(size_, sample_bytes_).across * kVector);
}

std::size_t PackedPlane::unpacked_bytes() const {
  const Blocks blocks(size_, sample_bytes_);
  return blocks.across * kVector * blocks.down * static_cast<std::size_t>(blocks.rows);
}

void PackedPlane::Unpack(std::uint8_t* out) const {
  const Blocks blocks(size_, sample_bytes_);
  if (sample_bytes_ == 1) {
    UnpackAll<std::uint8_t>(bytes_.data(), blocks, stride(), out);
  } else {
    UnpackAll<std::uint16_t>(bytes_.data(), blocks, stride(), out);
  }
}

}  // namespace glint
