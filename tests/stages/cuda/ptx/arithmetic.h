// SPDX-License-Identifier: Apache-2.0
// What PTX's arithmetic makes of values, by "Parallel Thread Execution ISA": integers wrap around,
// floats are rounded once, to the nearest.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace glint::cuda::ptx {

/// GPUs know one float that is no number.
template <class T>
T Canonical(T value) {
  if constexpr (std::is_same_v<T, float>) {
    if (std::isnan(value)) {
      constexpr std::uint32_t kNoNumber = 0x7fffffff;
      std::memcpy(&value, &kNoNumber, sizeof value);
    }
  }
  return value;
}

// What an instruction computes, for values of type T. Integers wrap around.

template <class T>
using Bits = std::make_unsigned_t<T>;
template <class T>
using Wider = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;

struct Add {
  template <class T>
  static T Of(T a, T b) {
    if constexpr (std::is_floating_point_v<T>)
      return Canonical(a + b);
    else
      return static_cast<T>(static_cast<Bits<T>>(a) + static_cast<Bits<T>>(b));
  }
};
struct Subtract {
  template <class T>
  static T Of(T a, T b) {
    if constexpr (std::is_floating_point_v<T>)
      return Canonical(a - b);
    else
      return static_cast<T>(static_cast<Bits<T>>(a) - static_cast<Bits<T>>(b));
  }
};
struct Multiply {
  template <class T>
  static T Of(T a, T b) {
    if constexpr (std::is_floating_point_v<T>)
      return Canonical(a * b);
    else
      return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
  }
};
struct MultiplyHigh {
  template <class T>
  static T Of(T a, T b) {
    static_assert(sizeof(T) == 4);
    return static_cast<T>((Wider<T>{a} * Wider<T>{b}) >> 32U);
  }
};
struct Divide {
  template <class T>
  static T Of(T a, T b) {
    if constexpr (std::is_floating_point_v<T>)
      return Canonical(a / b);
    else if (b == 0)
      return static_cast<T>(-1);  // as GPUs do
    else
      return static_cast<T>(Wider<T>{a} / Wider<T>{b});
  }
};
struct Remainder {
  template <class T>
  static T Of(T a, T b) {
    return b == 0 ? a : static_cast<T>(Wider<T>{a} % Wider<T>{b});
  }
};
struct Smallest {
  template <class T>
  static T Of(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      if (a == b) return std::signbit(a) ? a : b;  // -0 is less than +0
      return Canonical(std::fmin(a, b));
    } else {
      return std::min(a, b);
    }
  }
};
struct Largest {
  template <class T>
  static T Of(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      if (a == b) return std::signbit(a) ? b : a;
      return Canonical(std::fmax(a, b));
    } else {
      return std::max(a, b);
    }
  }
};
struct And {
  template <class T>
  static T Of(T a, T b) {
    return static_cast<T>(a & b);
  }
};
struct Or {
  template <class T>
  static T Of(T a, T b) {
    return static_cast<T>(a | b);
  }
};
struct Xor {
  template <class T>
  static T Of(T a, T b) {
    return static_cast<T>(a ^ b);
  }
};
struct CopySign {  // the first operand's sign, the second's value
  template <class T>
  static T Of(T a, T b) {
    return std::copysign(b, a);
  }
};

struct Magnitude {
  template <class T>
  static T Of(T a) {
    if constexpr (std::is_floating_point_v<T>)
      return std::fabs(a);
    else
      return a < 0 ? static_cast<T>(-static_cast<Bits<T>>(a)) : a;
  }
};
struct Negate {
  template <class T>
  static T Of(T a) {
    if constexpr (std::is_floating_point_v<T>)
      return -a;
    else
      return static_cast<T>(-static_cast<Bits<T>>(a));
  }
};
struct Not {
  template <class T>
  static T Of(T a) {
    return static_cast<T>(~a);
  }
};
struct NotPredicate {
  template <class T>
  static T Of(T a) {
    return a == 0 ? 1 : 0;
  }
};
struct Same {
  template <class T>
  static T Of(T a) {
    return a;
  }
};
struct SamePredicate {
  template <class T>
  static T Of(T a) {
    return a == 0 ? 0 : 1;
  }
};
struct SquareRoot {
  template <class T>
  static T Of(T a) {
    return Canonical(std::sqrt(a));
  }
};
struct Reciprocal {
  template <class T>
  static T Of(T a) {
    return Canonical(T{1} / a);
  }
};

struct RoundDown {
  template <class T>
  static T Of(T a) {
    return Canonical(std::floor(a));
  }
};

struct Equal {
  template <class T>
  static bool Of(T a, T b) {
    return a == b;
  }
};
struct NotEqual {  // false where one is no number
  template <class T>
  static bool Of(T a, T b) {
    return a < b || a > b;
  }
};
struct Less {
  template <class T>
  static bool Of(T a, T b) {
    return a < b;
  }
};
struct AtMost {
  template <class T>
  static bool Of(T a, T b) {
    return a <= b;
  }
};
struct Greater {
  template <class T>
  static bool Of(T a, T b) {
    return a > b;
  }
};
struct AtLeast {
  template <class T>
  static bool Of(T a, T b) {
    return a >= b;
  }
};
/// True also where one operand is no number.
template <class Opposite>
struct Unless {
  template <class T>
  static bool Of(T a, T b) {
    return !Opposite::Of(a, b);
  }
};

}  // namespace glint::cuda::ptx
