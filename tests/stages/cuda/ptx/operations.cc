// SPDX-License-Identifier: Apache-2.0
#include "stages/cuda/ptx/operations.h"

#include <map>
#include <string>
#include <type_traits>

#include "stages/cuda/ptx/arithmetic.h"
#include "stages/cuda/ptx/instructions.h"
#include "stages/cuda/ptx/memory_instructions.h"

namespace glint::cuda::ptx {
namespace {

using Table = std::map<std::string, Opcode, std::less<>>;

template <class T>
struct Type {
  const char* name;
  using Value = T;
};

template <class Do>
void ForIntegers(const Do& with) {
  with(Type<std::int16_t>{"s16"});
  with(Type<std::uint16_t>{"u16"});
  with(Type<std::int32_t>{"s32"});
  with(Type<std::uint32_t>{"u32"});
  with(Type<std::int64_t>{"s64"});
  with(Type<std::uint64_t>{"u64"});
}

template <class Do>
void ForFloats(const Do& with) {
  with(Type<float>{"f32"});
  with(Type<double>{"f64"});
}

template <class Do>
void ForBits(const Do& with) {
  with(Type<std::uint8_t>{"pred"});
  with(Type<std::uint16_t>{"b16"});
  with(Type<std::uint32_t>{"b32"});
  with(Type<std::uint64_t>{"b64"});
}

template <class Do>
void ForAll(const Do& with) {
  with(Type<std::int8_t>{"s8"});
  with(Type<std::uint8_t>{"u8"});
  ForIntegers(with);
  ForFloats(with);
  ForBits(with);
}

void AddArithmetic(Table& table) {
  ForIntegers([&]<class T>(Type<T> type) {
    const std::string of = std::string(".") + type.name;
    table["add" + of] = {Lanes<Binary<Add, T>>, 3};
    table["sub" + of] = {Lanes<Binary<Subtract, T>>, 3};
    table["mul.lo" + of] = {Lanes<Binary<Multiply, T>>, 3};
    table["mad.lo" + of] = {Lanes<MultiplyAdd<T>>, 4};
    table["min" + of] = {Lanes<Binary<Smallest, T>>, 3};
    table["max" + of] = {Lanes<Binary<Largest, T>>, 3};
    table["shr" + of] = {Lanes<Shift<T, false>>, 3};
    table["div" + of] = {Lanes<Binary<Divide, T>>, 3};
    table["rem" + of] = {Lanes<Binary<Remainder, T>>, 3};
    if constexpr (sizeof(T) < 8) table["mul.wide" + of] = {Lanes<MultiplyWide<T>>, 3};
    if constexpr (sizeof(T) == 4) table["mul.hi" + of] = {Lanes<Binary<MultiplyHigh, T>>, 3};
    if constexpr (std::is_signed_v<T>) {
      table["abs" + of] = {Lanes<Unary<Magnitude, T>>, 2};
      table["neg" + of] = {Lanes<Unary<Negate, T>>, 2};
    }
  });
  ForFloats([&]<class T>(Type<T> type) {
    const std::string of = std::string(".") + type.name;
    table["add.rn" + of] = {Lanes<Binary<Add, T>>, 3};
    table["sub.rn" + of] = {Lanes<Binary<Subtract, T>>, 3};
    table["mul.rn" + of] = {Lanes<Binary<Multiply, T>>, 3};
    table["div.rn" + of] = {Lanes<Binary<Divide, T>>, 3};
    table["sqrt.rn" + of] = {Lanes<Unary<SquareRoot, T>>, 2};
    table["rcp.rn" + of] = {Lanes<Unary<Reciprocal, T>>, 2};
    table["min" + of] = {Lanes<Binary<Smallest, T>>, 3};
    table["max" + of] = {Lanes<Binary<Largest, T>>, 3};
    table["abs" + of] = {Lanes<Unary<Magnitude, T>>, 2};
    table["neg" + of] = {Lanes<Unary<Negate, T>>, 2};
    table["copysign" + of] = {Lanes<Binary<CopySign, T>>, 3};
    table["cvt.rmi" + of + of] = {Lanes<Unary<RoundDown, T>>, 2};
  });
  ForBits([&]<class T>(Type<T> type) {
    const std::string of = std::string(".") + type.name;
    table["and" + of] = {Lanes<Binary<And, T>>, 3};
    table["or" + of] = {Lanes<Binary<Or, T>>, 3};
    table["xor" + of] = {Lanes<Binary<Xor, T>>, 3};
    table["not" + of] = {sizeof(T) == 1 ? Lanes<Unary<NotPredicate, T>> : Lanes<Unary<Not, T>>, 2};
    if constexpr (sizeof(T) > 1) table["shl" + of] = {Lanes<Shift<T, true>>, 3};
  });
  table["mov.b32.packed"] = {Lanes<Pack<std::uint16_t, std::uint32_t>>, 3};
  table["prmt.b32"] = {Lanes<Permute>, 4};
  table["dp4a.u32.u32"] = {Lanes<DotOfBytes>, 4};
  table["dp2a.lo.s32.u32"] = {Lanes<DotOfHalves>, 4};
}

void AddChoices(Table& table) {
  ForAll([&]<class T>(Type<T> type) {
    const std::string of = std::string(".") + type.name;
    table["mov" + of] = {Lanes<Unary<Same, T>>, 2};
    table["selp" + of] = {Lanes<Select<T>>, 4};
    table["setp.eq" + of] = {Lanes<Compare<Equal, T>>, 3};
    table["setp.ne" + of] = {Lanes<Compare<NotEqual, T>>, 3};
    table["setp.lt" + of] = {Lanes<Compare<Less, T>>, 3};
    table["setp.le" + of] = {Lanes<Compare<AtMost, T>>, 3};
    table["setp.gt" + of] = {Lanes<Compare<Greater, T>>, 3};
    table["setp.ge" + of] = {Lanes<Compare<AtLeast, T>>, 3};
  });
  ForFloats([&]<class T>(Type<T> type) {
    const std::string of = std::string(".") + type.name;
    table["setp.neu" + of] = {Lanes<Compare<Unless<Equal>, T>>, 3};
    table["setp.equ" + of] = {Lanes<Compare<Unless<NotEqual>, T>>, 3};
    table["setp.ltu" + of] = {Lanes<Compare<Unless<AtLeast>, T>>, 3};
    table["setp.leu" + of] = {Lanes<Compare<Unless<Greater>, T>>, 3};
    table["setp.gtu" + of] = {Lanes<Compare<Unless<AtMost>, T>>, 3};
    table["setp.geu" + of] = {Lanes<Compare<Unless<Less>, T>>, 3};
  });
  table["mov.pred"] = {Lanes<Unary<SamePredicate, std::uint8_t>>, 2};
  table["cvta.to.global.u64"] = {Lanes<Unary<Same, std::uint64_t>>, 2};
  table["bra"] = table["bra.uni"] = {nullptr, 1, Course::kBranch};
  table["bar.sync"] = {nullptr, 1, Course::kBarrier};
  table["ret"] = {nullptr, 0, Course::kReturn};
}

void AddConversions(Table& table) {
  const auto for_integers = [](const auto& with) {
    with(Type<std::int8_t>{"s8"});
    with(Type<std::uint8_t>{"u8"});
    ForIntegers(with);
  };
  for_integers([&]<class To>(Type<To> to) {
    for_integers([&]<class From>(Type<From> from) {
      table[std::string("cvt.") + to.name + "." + from.name] = {Lanes<Convert<To, From>>, 2};
    });
    ForFloats([&]<class From>(Type<From> from) {
      table[std::string("cvt.rzi.") + to.name + "." + from.name] = {Lanes<Convert<To, From>>, 2};
      table[std::string("cvt.rn.") + from.name + "." + to.name] = {Lanes<Convert<From, To>>, 2};
    });
  });
  table["cvt.f64.f32"] = {Lanes<Convert<double, float>>, 2};
  table["cvt.rn.f32.f64"] = {Lanes<Convert<float, double>>, 2};
}

template <Space space, bool stores>
void AddMoves(Table& table, const std::string& prefix) {
  ForAll([&]<class T>(Type<T> type) {
    const std::string of = std::string(".") + type.name;
    const auto add = [&]<int count>(const std::string& vector) {
      if constexpr (stores)
        table[prefix + vector + of] = {Lanes<Store<T, space, count>>, count + 1};
      else
        table[prefix + vector + of] = {Lanes<Load<T, space, count>>, count + 1};
    };
    add.template operator()<1>("");
    add.template operator()<2>(".v2");
    add.template operator()<4>(".v4");
  });
}

void AddMemory(Table& table) {
  AddMoves<Space::kGlobal, false>(table, "ld");  // kernels take generic addresses of globals only
  AddMoves<Space::kGlobal, false>(table, "ld.global");
  AddMoves<Space::kGlobal, false>(table, "ld.volatile.global");
  AddMoves<Space::kGlobal, false>(table, "ld.const");  // where Module keeps them
  AddMoves<Space::kShared, false>(table, "ld.shared");
  AddMoves<Space::kShared, false>(table, "ld.volatile.shared");
  AddMoves<Space::kArguments, false>(table, "ld.param");
  AddMoves<Space::kGlobal, true>(table, "st.global");
  AddMoves<Space::kShared, true>(table, "st.shared");
  AddMoves<Space::kShared, true>(table, "st.volatile.shared");
  ForIntegers([&]<class T>(Type<T> type) {
    const std::string of = std::string(".") + type.name;
    table["atom.global.add" + of] = {Lanes<Atomic<Add, T, Space::kGlobal>>, 3};
    table["atom.global.min" + of] = {Lanes<Atomic<Smallest, T, Space::kGlobal>>, 3};
    table["atom.global.max" + of] = {Lanes<Atomic<Largest, T, Space::kGlobal>>, 3};
    table["atom.shared.max" + of] = {Lanes<Atomic<Largest, T, Space::kShared>>, 3};
    table["atom.shared.add" + of] = {Lanes<Atomic<Add, T, Space::kShared>>, 3};
  });
}

const Table& AllOpcodes() {
  static const Table table = [] {
    Table all;
    AddArithmetic(all);
    AddChoices(all);
    AddConversions(all);
    AddMemory(all);
    return all;
  }();
  return table;
}

/// Those that may be rounded once or twice; here as they stand.
const Table& FusedOpcodes() {
  static const Table table = [] {
    Table all;
    all["add.f32"] = {Lanes<Binary<Add, float>>, 3};
    all["sub.f32"] = {Lanes<Binary<Subtract, float>>, 3};
    all["mul.f32"] = {Lanes<Binary<Multiply, float>>, 3};
    all["fma.rn.f32"] = {Lanes<FusedMultiplyAdd>, 4};
    return all;
  }();
  return table;
}

}  // namespace

const Opcode* FindOpcode(std::string_view opcode, Floats floats) {
  if (const auto found = AllOpcodes().find(opcode); found != AllOpcodes().end()) {
    return &found->second;
  }
  if (floats == Floats::kExact) return nullptr;
  const auto found = FusedOpcodes().find(opcode);
  return found == FusedOpcodes().end() ? nullptr : &found->second;
}

}  // namespace glint::cuda::ptx
