// SPDX-License-Identifier: Apache-2.0
#include "base/packed_samples.h"

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

/// The samples kBy places further on, after zeros.
template <class T, int kBy>
VectorOf<T> Later(VectorOf<T> vector) {
  constexpr int kColumns = Block<T>::kColumns;
  return [&]<int... kAt>(std::integer_sequence<int, kAt...>) {
    return __builtin_shufflevector(VectorOf<T>{}, vector,
                                   (kAt < kBy ? kAt : kColumns + kAt - kBy)...);
  }
  (std::make_integer_sequence<int, kColumns>());
}

/// The sum of each sample and those before it.
template <class T>
VectorOf<T> RunningSum(VectorOf<T> vector) {
  vector += Later<T, 1>(vector);
  vector += Later<T, 2>(vector);
  vector += Later<T, 4>(vector);
  if constexpr (Block<T>::kColumns == 16) vector += Later<T, 8>(vector);
  return vector;
}

/// What a sample is told by.
enum class Told {
  kByAbove,   ///< its difference to the one above
  kByCorner,  ///< that difference without the one of the sample to the left
};

/// Told, in the byte that says how many bits a sample has.
constexpr std::uint8_t kByCornerFlag = 0x80;

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

/// What a block is unpacked beside.
template <class T>
struct Around {
  VectorOf<T> above;                   ///< the row above it
  T corner = 0;                        ///< the sample to the left of that
  const std::uint8_t* left = nullptr;  ///< samples to the left of its rows; null: zeros
};

/// The rows of a block.
template <class T, int kBits, Told kTold>
void UnpackBlock(const std::uint8_t* in, const Around<T>& around, std::uint8_t* out,
                 std::ptrdiff_t stride) {
  constexpr int kWord = Block<T>::kBits;
  // Told by their corners, samples are summed without what lies to the left of their row.
  VectorOf<T> row = around.above;
  if constexpr (kTold == Told::kByCorner) row -= around.corner;
  const auto get = [&]<int kRow>() {
    if constexpr (kBits > 0) {
      constexpr int kAt = kRow * kBits % kWord;
      const std::uint8_t* word = in + kRow * kBits / kWord * kVector;
      VectorOf<T> folded = Shifted<T, -kAt>(Load<T>(word));
      if constexpr (kAt + kBits > kWord) {
        folded |= Shifted<T, kWord - kAt>(Load<T>(word + kVector));
      }
      constexpr auto kMask = static_cast<T>(static_cast<T>(~T{0}) >> (kWord - kBits));
      const VectorOf<T> difference = Unfold<T>(folded & (VectorOf<T>{} + kMask));
      row += kTold == Told::kByCorner ? RunningSum<T>(difference) : difference;
    }
    VectorOf<T> samples = row;
    if constexpr (kTold == Told::kByCorner) {
      T left = 0;
      if (around.left != nullptr) std::memcpy(&left, around.left + kRow * stride, sizeof(T));
      samples += left;
    }
    std::memcpy(out + kRow * stride, &samples, kVector);
  };
  [&]<int... kRow>(std::integer_sequence<int, kRow...>) { (get.template operator()<kRow>(), ...); }
  (std::make_integer_sequence<int, Block<T>::kRows>());
}

template <class T>
using Packer = void (*)(const Folded<T>&, std::uint8_t*);
template <class T>
using Unpacker = void (*)(const std::uint8_t*, const Around<T>&, std::uint8_t*, std::ptrdiff_t);

/// By bits of a sample.
template <class T>
constexpr auto kPackers = []<int... kBits>(std::integer_sequence<int, kBits...>) {
  return std::array<Packer<T>, sizeof...(kBits)>{&PackBlock<T, kBits>...};
}
(std::make_integer_sequence<int, Block<T>::kBits + 1>());
template <class T, Told kTold>
constexpr auto kUnpackers = []<int... kBits>(std::integer_sequence<int, kBits...>) {
  return std::array<Unpacker<T>, sizeof...(kBits)>{&UnpackBlock<T, kBits, kTold>...};
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

/// Samples and those to their left. @param from  of the samples; @param at  bytes before them in
/// their row: 0: zeros lie to the left
template <class T>
struct WithLeft {
  VectorOf<T> samples, left;

  [[gnu::always_inline]] WithLeft(const std::uint8_t* from, std::size_t at, std::size_t bytes)
      : samples(Load<T>(from + at, bytes)),
        left(at == 0 ? Later<T, 1>(samples) : Load<T>(from + at - sizeof(T), bytes)) {}
};

/// Packs one block. @param bytes  of its rows that there are, from byte `at` on
/// @return bits of a sample, and by what it is told
template <class T>
[[gnu::always_inline]] inline std::uint8_t PackOne(const BlockRows<T>& rows, std::size_t at,
                                                   std::size_t bytes, std::uint8_t* out) {
  Folded<T> by_above, by_corner;
  VectorOf<T> before{}, left_before{}, any_above{}, any_corner{};
  if (rows.above != nullptr) {
    const WithLeft<T> above(rows.above, at, bytes);
    before = above.samples;
    left_before = above.left;
  }
  for (std::size_t i = 0; i < by_above.size(); ++i) {
    const WithLeft<T> row(rows.of[i], at, bytes);
    const VectorOf<T> difference = row.samples - before;
    by_above[i] = Fold<T>(difference);
    by_corner[i] = Fold<T>(difference - (row.left - left_before));
    any_above |= by_above[i];
    any_corner |= by_corner[i];
    before = row.samples;
    left_before = row.left;
  }
  const int above_bits = BitsOf<T>(any_above), corner_bits = BitsOf<T>(any_corner);
  const bool corner = corner_bits < above_bits;  // unpacking takes longer
  const int bits = corner ? corner_bits : above_bits;
  kPackers<T>[static_cast<std::size_t>(bits)](corner ? by_corner : by_above, out);
  return static_cast<std::uint8_t>(bits | (corner ? kByCornerFlag : 0));
}

/// Bits of a sample of a block.
std::size_t BitsIn(std::uint8_t told) { return told & ~kByCornerFlag; }

/// Packs one row of blocks. @return behind what was written
template <class T>
std::uint8_t* PackRow(const BlockRows<T>& rows, std::size_t row_bytes, std::size_t across,
                      std::uint8_t* out) {
  std::uint8_t* told = out;
  out += across;
  std::size_t at = 0;
  for (; at + kVector <= row_bytes; at += kVector) {
    *told = PackOne<T>(rows, at, kVector, out);
    out += kVector * BitsIn(*told++);
  }
  if (at < row_bytes) {
    *told = PackOne<T>(rows, at, row_bytes - at, out);
    out += kVector * BitsIn(*told);
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

/// Unpacks one block. @param told  what PackOne gave; @param first_row,first_column  of the plane
template <class T>
[[gnu::always_inline]] inline void UnpackOne(const std::uint8_t* in, std::uint8_t told,
                                             bool first_row, bool first_column,
                                             std::ptrdiff_t stride, std::uint8_t* out) {
  Around<T> around{.above = first_row ? VectorOf<T>{} : Load<T>(out - stride)};
  if ((told & kByCornerFlag) == 0) {
    kUnpackers<T, Told::kByAbove>[told](in, around, out, stride);
    return;
  }
  if (!first_column) {
    around.left = out - sizeof(T);
    if (!first_row) std::memcpy(&around.corner, around.left - stride, sizeof(T));
  }
  kUnpackers<T, Told::kByCorner>[BitsIn(told)](in, around, out, stride);
}

template <class T>
void UnpackAll(const std::uint8_t* in, const Blocks& blocks, std::ptrdiff_t stride,
               std::uint8_t* out) {
  for (std::size_t row = 0; row < blocks.down; ++row) {
    const std::uint8_t* told = in;
    in += blocks.across;
    for (std::size_t at = 0; at < blocks.across; ++at, ++told) {
      UnpackOne<T>(in, *told, row == 0, at == 0, stride, out + at * kVector);
      in += kVector * BitsIn(*told);
    }
    out += blocks.rows * stride;
  }
}

}  // namespace

std::vector<std::uint8_t> PackSamples(const SampleRows& rows) {
  return rows.sample_bytes == 1 ? Pack<std::uint8_t>(rows) : Pack<std::uint16_t>(rows);
}

std::ptrdiff_t UnpackedStride(Size size, int sample_bytes) {
  return static_cast<std::ptrdiff_t>(Blocks(size, sample_bytes).across * kVector);
}

std::size_t UnpackedBytes(Size size, int sample_bytes) {
  const Blocks blocks(size, sample_bytes);
  return blocks.across * kVector * blocks.down * static_cast<std::size_t>(blocks.rows);
}

void UnpackSamples(std::span<const std::uint8_t> packed, Size size, int sample_bytes,
                   std::uint8_t* out, std::ptrdiff_t stride) {
  const Blocks blocks(size, sample_bytes);
  if (sample_bytes == 1) {
    UnpackAll<std::uint8_t>(packed.data(), blocks, stride, out);
  } else {
    UnpackAll<std::uint16_t>(packed.data(), blocks, stride, out);
  }
}

}  // namespace glint
