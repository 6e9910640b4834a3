// SPDX-License-Identifier: Apache-2.0
// What a kernel is said to cost, of kernels whose cost is plain.
#include "stages/cuda/ptx/count.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <vector>

#include "stages/cuda/ptx/execute.h"
#include "stages/cuda/ptx/parse.h"
#include "support/status_matchers.h"

namespace glint::cuda::ptx {
namespace {

/// Counts what a warp costs. %rd1 is where 4 KiB lie, %r1 the thread's number; registers are free
/// from 2 on.
Counts CountOf(std::string_view body) {
  const auto module = Parse(fmt::format(R"(
.visible .entry PtxCount(
	.param .align 8 .b8 PtxCount_param_0[8]
)
.maxntid 32, 1, 1
{{
	.reg .pred 	%p<4>;
	.reg .f32 	%f<8>;
	.reg .b32 	%r<8>;
	.reg .b64 	%rd<8>;
	.shared .align 16 .b8 memory[4224];
	ld.param.u64 	%rd1, [PtxCount_param_0];
	mov.u32 	%r1, %tid.x;
{}
	ret;
}}
)",
                                        body));
  EXPECT_THAT(module, IsOk());
  Counts counts;
  if (!module.ok()) return counts;
  alignas(32) static std::array<std::byte, 4096> memory;
  const auto argument = std::bit_cast<std::uint64_t>(memory.data());
  const auto fault = Execute(module->kernels.front(), std::as_bytes(std::span(&argument, 1)), {},
                             {}, AddressSpace({std::span(memory)}), &counts);
  EXPECT_FALSE(fault) << fault->what;
  return counts;
}

std::int64_t CountIn(const Counts& counts, Kind kind) {
  return counts.instructions[static_cast<std::size_t>(kind)];
}

/// Every thread reads 4 bytes, `apart` bytes from its neighbour's.
Counts GlobalLoads(int apart) {
  return CountOf(
      fmt::format("\tmul.wide.u32 \t%rd2, %r1, {};\n"
                  "\tadd.s64 \t%rd3, %rd1, %rd2;\n"
                  "\tld.global.f32 \t%f1, [%rd3];\n",
                  apart));
}

/// The same in shared memory.
Counts SharedLoads(int apart, const char* type = "u32") {
  return CountOf(
      fmt::format("\tmov.u32 \t%r2, memory;\n"
                  "\tmad.lo.s32 \t%r3, %r1, {}, %r2;\n"
                  "\tld.shared.{} \t%rd4, [%r3];\n",
                  apart, type));
}

TEST(PtxCount, NeighboursThatReadNeighboursShareSectors) {
  const Counts close = GlobalLoads(4), apart = GlobalLoads(32), same = GlobalLoads(0);
  EXPECT_EQ(close.useful_bytes, 128);
  EXPECT_EQ(close.sectors, 4);
  EXPECT_EQ(apart.useful_bytes, 128);
  EXPECT_EQ(apart.sectors, 32);
  EXPECT_EQ(same.useful_bytes, 4);
  EXPECT_EQ(same.sectors, 1);
}

TEST(PtxCount, ALaunchsFootprintHasEachSectorOnce) {
  const Counts counts = CountOf(
      "\tld.global.f32 \t%f1, [%rd1];\n"
      "\tld.global.f32 \t%f2, [%rd1+4];\n"
      "\tst.global.f32 \t[%rd1+8], %f1;\n");
  EXPECT_EQ(counts.sectors, 3);
  EXPECT_EQ(counts.footprint_bytes, 32 + 32) << "read once, written once";
}

TEST(PtxCount, WordsOfOneBankAreReadOneAfterTheOther) {
  EXPECT_EQ(SharedLoads(4).passes, 1);
  EXPECT_EQ(SharedLoads(8).passes, 2);
  EXPECT_EQ(SharedLoads(128).passes, 32);
  EXPECT_EQ(SharedLoads(132).passes, 1);
  EXPECT_EQ(SharedLoads(0).passes, 1) << "one word goes to all";
  EXPECT_EQ(SharedLoads(1, "u8").passes, 1);
  const Counts wide = SharedLoads(8, "u64");
  EXPECT_EQ(wide.passes, 2) << "half of the warp at a time";
  EXPECT_EQ(wide.least_passes, 2);
}

TEST(PtxCount, ABranchThatPartsAWarpIsDivergent) {
  const auto branch = [](int threads) {
    return CountOf(
        fmt::format("\tsetp.lt.s32 \t%p1, %r1, {};\n"
                    "\t@%p1 bra \t$L_1;\n"
                    "\tadd.s32 \t%r2, %r1, 1;\n"
                    "$L_1:\n"
                    "\tbar.sync \t0;\n",
                    threads));
  };
  const Counts some = branch(8), all = branch(32), none = branch(0);
  EXPECT_EQ(some.branches, 1);
  EXPECT_EQ(some.divergent, 1);
  EXPECT_EQ(all.divergent, 0);
  EXPECT_EQ(none.divergent, 0);
  EXPECT_EQ(CountIn(some, Kind::kInteger), 32 + 24)
      << "the comparison, and the sum of those who stay";
  EXPECT_EQ(none.barriers, 1);
}

TEST(PtxCount, InstructionsAreToldApart) {
  const auto kind = [](std::string_view opcode) { return CountedAs(opcode).kind; };
  EXPECT_EQ(kind("add.rn.f32"), Kind::kFloat);
  EXPECT_EQ(kind("mul.rn.f64"), Kind::kDouble);
  EXPECT_EQ(kind("mad.lo.s32"), Kind::kInteger);
  EXPECT_EQ(kind("cvt.rzi.s32.f32"), Kind::kConvert);
  EXPECT_EQ(kind("ld.param.u64"), Kind::kArgument);
  EXPECT_EQ(kind("atom.shared.max.s32"), Kind::kSharedAtomic);
  EXPECT_EQ(CountedAs("ld.global.v4.f32").bytes, 16);
  EXPECT_EQ(CountedAs("ld.global.v4.f32").address, 4);
  EXPECT_EQ(CountedAs("st.shared.v2.u64").address, 0);
  EXPECT_EQ(CountedAs("ld.global.u8").bytes, 1);
}

}  // namespace
}  // namespace glint::cuda::ptx
