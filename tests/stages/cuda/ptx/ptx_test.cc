// SPDX-License-Identifier: Apache-2.0
// The host's interpreter of PTX: that it computes what NVIDIA's "Parallel Thread Execution ISA"
// says, and refuses what it does not know and what a GPU would fail at.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include "stages/cuda/ptx/execute.h"
#include "stages/cuda/ptx/parse.h"
#include "support/status_matchers.h"

namespace glint::cuda::ptx {
namespace {

using testing::HasSubstr;

/// A kernel of four threads with one argument: where its values lie. %rd1 holds that, %r1 the
/// thread's number.
std::string KernelOf(std::string_view body) {
  return fmt::format(R"(
.version 9.0
.target sm_90
.address_size 64
.visible .entry Try(
	.param .align 8 .b8 Try_param_0[8]
)
.maxntid 4, 1, 1
{{
	.reg .pred 	%p<4>;
	.reg .b16 	%rs<8>;
	.reg .f32 	%f<8>;
	.reg .b32 	%r<8>;
	.reg .f64 	%fd<8>;
	.reg .b64 	%rd<8>;
	.shared .align 8 .b8 memory[32];
	ld.param.u64 	%rd1, [Try_param_0];
	mov.u32 	%r1, %tid.x;
{}
	ret;
}}
)",
                     body);
}

/// Runs one block; `values` is what the kernel gets.
std::optional<Fault> RunBody(std::string_view body, std::span<std::uint64_t> values,
                             HostOrder order = {}) {
  const auto module = Parse(KernelOf(body));
  EXPECT_THAT(module, IsOk());
  if (!module.ok()) return std::nullopt;
  const auto argument = std::bit_cast<std::uint64_t>(values.data());
  return Execute(module->kernels.front(), std::as_bytes(std::span(&argument, 1)), {}, order,
                 AddressSpace({std::as_writable_bytes(values)}));
}

/// What an instruction makes of up to three operands in 8 bytes each. @param instruction  with
/// registers %rd3 (the result) and %rd4, %rd5, %rd6
std::uint64_t Made(std::string_view instruction, std::vector<std::uint64_t> operands) {
  operands.resize(4);
  const auto fault = RunBody(fmt::format("\tld.global.u64 \t%rd4, [%rd1];\n"
                                         "\tld.global.u64 \t%rd5, [%rd1+8];\n"
                                         "\tld.global.u64 \t%rd6, [%rd1+16];\n"
                                         "\t{};\n"
                                         "\tst.global.u64 \t[%rd1+24], %rd3;\n",
                                         instruction),
                             std::span(operands));
  EXPECT_FALSE(fault) << fault->what;
  return operands[3];
}

std::uint64_t BitsOf(float value) { return std::bit_cast<std::uint32_t>(value); }
std::uint64_t BitsOf(double value) { return std::bit_cast<std::uint64_t>(value); }
float FloatOf(std::uint64_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); }

TEST(Ptx, ShiftsByMoreThanThereAreBitsShiftEverythingOut) {
  EXPECT_EQ(Made("shl.b32 %rd3, %rd4, %rd5", {1, 31}), 0x80000000);
  EXPECT_EQ(Made("shl.b32 %rd3, %rd4, %rd5", {1, 32}), 0);
  EXPECT_EQ(Made("shr.u32 %rd3, %rd4, %rd5", {0x80000000, 33}), 0);
  EXPECT_EQ(static_cast<std::int32_t>(Made("shr.s32 %rd3, %rd4, %rd5", {0x80000000, 40})), -1);
}

TEST(Ptx, ProductsKeepTheHalfThatIsAskedFor) {
  EXPECT_EQ(static_cast<std::uint32_t>(Made("mul.lo.s32 %rd3, %rd4, %rd5", {0x10001, 0x10001})),
            0x20001);
  EXPECT_EQ(Made("mul.hi.s32 %rd3, %rd4, %rd5", {0x40000000, 16}), 4);
  EXPECT_EQ(static_cast<std::int64_t>(Made("mul.wide.s32 %rd3, %rd4, %rd5", {0xffffffff, 5})), -5);
  EXPECT_EQ(Made("mul.wide.u32 %rd3, %rd4, %rd5", {0xffffffff, 2}), 0x1fffffffe);
  EXPECT_EQ(Made("mad.lo.s32 %rd3, %rd4, %rd5, %rd6", {6, 7, 8}), 50);
}

TEST(Ptx, ConversionsToIntegersStayInRange) {
  constexpr float kNoNumber = std::numeric_limits<float>::quiet_NaN();
  const auto to_s32 = [](float value) {
    return static_cast<std::int32_t>(Made("cvt.rzi.s32.f32 %rd3, %rd4", {BitsOf(value)}));
  };
  EXPECT_EQ(to_s32(-2.9F), -2);
  EXPECT_EQ(to_s32(3e9F), std::numeric_limits<std::int32_t>::max());
  EXPECT_EQ(to_s32(-3e9F), std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ(to_s32(kNoNumber), 0);
  EXPECT_EQ(Made("cvt.rzi.s64.f32 %rd3, %rd4", {BitsOf(kNoNumber)}), std::uint64_t{1} << 63);
  EXPECT_EQ(FloatOf(Made("cvt.rmi.f32.f32 %rd3, %rd4", {BitsOf(-1.25F)})), -2);
  EXPECT_EQ(FloatOf(Made("cvt.rn.f32.s32 %rd3, %rd4", {16777217})), 16777216);
  EXPECT_EQ(static_cast<std::int32_t>(Made("cvt.s32.s8 %rd3, %rd4", {0x180})), -128);
}

TEST(Ptx, FloatsAreRoundedOnceAndHaveOneNoNumber) {
  const float tiny = std::numeric_limits<float>::denorm_min();
  EXPECT_EQ(FloatOf(Made("mul.rn.f32 %rd3, %rd4, %rd5", {BitsOf(tiny), BitsOf(1.0F)})), tiny);
  EXPECT_EQ(FloatOf(Made("div.rn.f32 %rd3, %rd4, %rd5", {BitsOf(1.0F), BitsOf(3.0F)})), 1.0F / 3);
  EXPECT_EQ(Made("div.rn.f32 %rd3, %rd4, %rd5", {BitsOf(0.0F), BitsOf(0.0F)}), 0x7fffffff);
  EXPECT_EQ(Made("rcp.rn.f64 %rd3, %rd4", {BitsOf(8.0)}), BitsOf(0.125));
  EXPECT_EQ(Made("min.f32 %rd3, %rd4, %rd5", {BitsOf(0.0F), BitsOf(-0.0F)}), BitsOf(-0.0F));
  EXPECT_EQ(Made("max.f32 %rd3, %rd4, %rd5", {0x7fffffff, BitsOf(2.0F)}), BitsOf(2.0F));
  EXPECT_EQ(FloatOf(Made("copysign.f32 %rd3, %rd4, %rd5", {BitsOf(-7.0F), BitsOf(0.5F)})), -0.5F)
      << "the first operand's sign, the second's value";
}

TEST(Ptx, ComparisonsWithNoNumberAreFalseUnlessTheyAskForIt) {
  const auto compare = [](std::string_view how) {
    return Made(fmt::format("setp.{}.f32 %p1, %rd4, %rd5;\n\tselp.u64 %rd3, 1, 0, %p1", how),
                {0x7fffffff, BitsOf(1.0F)});
  };
  for (const char* ordered : {"eq", "ne", "lt", "le", "gt", "ge"}) EXPECT_EQ(compare(ordered), 0);
  for (const char* either : {"equ", "neu", "ltu", "leu", "gtu", "geu"}) {
    EXPECT_EQ(compare(either), 1) << either;
  }
}

TEST(Ptx, BytesAreChosenAndMultiplied) {
  EXPECT_EQ(Made("prmt.b32 %rd3, %rd4, %rd5, 29728", {0x33221180, 0x77665544}), 0x77442280U)
      << "selectors 0, 2, 4, 7 from the lowest";
  EXPECT_EQ(Made("prmt.b32 %rd3, %rd4, %rd5, 8", {0x33221180, 0}) & 0xff, 0xff) << "a sign";
  EXPECT_EQ(Made("dp4a.u32.u32 %rd3, %rd4, %rd5, %rd6", {0x04030201, 0x01010102, 100}), 111);
  EXPECT_EQ(static_cast<std::int32_t>(
                Made("dp2a.lo.s32.u32 %rd3, %rd4, %rd5, %rd6", {0x0003fffe, 0x990a05, 1})),
            -2 * 5 + 3 * 10 + 1);
  EXPECT_EQ(Made("mov.b32 %rd3, {%rd4, %rd5}", {0x1122, 0x3344}), 0x33441122);
}

TEST(Ptx, ThreadsMeetAtBarriersInAnyOrder) {
  for (const HostOrder order : {HostOrder{}, HostOrder{.thread_step = 3, .first_thread = 2}}) {
    std::vector<std::uint64_t> values(4);
    const auto fault = RunBody(
        "\tmul.lo.s32 \t%r2, %r1, 8;\n"
        "\tmov.u32 \t%r3, memory;\n"
        "\tadd.s32 \t%r4, %r3, %r2;\n"
        "\tst.shared.u64 \t[%r4], %r1;\n"
        "\tbar.sync \t0;\n"
        "\txor.b32 \t%r5, %r2, 24;\n"  // the opposite thread's
        "\tadd.s32 \t%r5, %r3, %r5;\n"
        "\tld.shared.u64 \t%rd2, [%r5];\n"
        "\tmul.wide.u32 \t%rd3, %r1, 8;\n"
        "\tadd.s64 \t%rd3, %rd1, %rd3;\n"
        "\tst.global.u64 \t[%rd3], %rd2;\n",
        std::span(values), order);
    EXPECT_FALSE(fault) << fault->what;
    EXPECT_EQ(values, (std::vector<std::uint64_t>{3, 2, 1, 0}));
  }
}

TEST(Ptx, AtomicsGiveWhatStoodThereBefore) {
  std::vector<std::uint64_t> values = {10, 0};
  const auto fault = RunBody(
      "\tatom.global.add.u64 \t%rd2, [%rd1], 5;\n"
      "\tatom.global.max.s32 \t%r2, [%rd1+8], %rd2;\n",
      std::span(values));
  EXPECT_FALSE(fault) << fault->what;
  EXPECT_EQ(values, (std::vector<std::uint64_t>{30, 25}));
}

struct Wrong {
  const char* body;
  FaultKind kind;
  const char* why;
};

TEST(Ptx, FaultsSayWhereAndWhy) {
  const Wrong wrongs[] = {
      {"\tld.global.u32 \t%r2, [%rd1+32];\n", FaultKind::kIllegalAddress, "outside of device"},
      {"\tst.global.u8 \t[%rd1+-1], %r1;\n", FaultKind::kIllegalAddress, "outside of device"},
      {"\tld.global.v2.u32 \t{%r2, %r3}, [%rd1+4];\n", FaultKind::kMisalignedAddress, "misaligned"},
      {"\tmov.u32 \t%r2, memory;\n\tst.shared.u32 \t[%r2+32], %r1;\n", FaultKind::kIllegalAddress,
       "outside of shared"},
      {"\tld.param.u32 \t%r2, [Try_param_0+8];\n", FaultKind::kIllegalAddress,
       "outside of the arguments"},
      {"\tsetp.eq.s32 \t%p1, %r1, 2;\n\t@%p1 bra \t$out;\n\tbar.sync \t0;\n$out:\n",
       FaultKind::kIllegalInstruction, "not at the barrier"},
  };
  for (const Wrong& wrong : wrongs) {
    SCOPED_TRACE(wrong.body);
    std::vector<std::uint64_t> values(4);
    const auto fault = RunBody(wrong.body, std::span(values));
    ASSERT_TRUE(fault);
    EXPECT_EQ(fault->kind, wrong.kind);
    EXPECT_THAT(fault->what, HasSubstr("Try, line"));
    EXPECT_THAT(fault->what, HasSubstr(wrong.why));
  }
}

/// As others write kernels: each of a row of threads, but the last one of the second row, puts
/// 1 + factor * its number where the launch's shared memory is, and stores its neighbour's.
constexpr std::string_view kOfOthers = R"(
.const .align 4 .b8 factors[8];
.extern .shared .align 16 .b8 pool[];
.visible .entry Other(
	.param .u32 Other_param_0,
	.param .align 8 .b8 Other_param_1[16]
)
{
	.reg .pred 	%p<4>;
	.reg .f32 	%f<8>;
	.reg .b32 	%r<16>;
	.reg .b64 	%rd<8>;
	ld.param.u32 	%r1, [Other_param_0];
	ld.param.u64 	%rd1, [Other_param_1+8];
	mov.u32 	%r2, %tid.x;
	mov.u32 	%r3, %tid.y;
	mov.u32 	%r4, %ntid.x;
	mad.lo.s32 	%r5, %r3, %r4, %r2;
	setp.eq.s32 	%p1, %r5, %r1;
	@%p1 bra 	$end;
	mov.u32 	%r6, pool;
	mad.lo.s32 	%r7, %r5, 4, %r6;
	cvt.rn.f32.s32 	%f1, %r5;
	ld.const.f32 	%f2, [factors+4];
	fma.rn.f32 	%f3, %f1, %f2, 0f3F800000;
	st.volatile.shared.f32 	[%r7], %f3;
	bar.sync 	0;
	xor.b32 	%r8, %r5, 1;
	mad.lo.s32 	%r9, %r8, 4, %r6;
	ld.volatile.shared.f32 	%f4, [%r9];
	mul.wide.u32 	%rd2, %r5, 4;
	add.s64 	%rd3, %rd1, %rd2;
	st.global.f32 	[%rd3], %f4;
$end:
	ret;
}
)";

TEST(Ptx, KernelsOfOthersAreRunAsTheirLaunchSays) {
  auto module = Parse(kOfOthers, ptx::Floats::kFused);
  ASSERT_THAT(module, IsOk());
  const float factors[] = {7, 0.5F};
  std::memcpy(module->constants.at("factors").data(), factors, sizeof factors);
  std::vector<float> values(8, -1);
  struct {
    std::uint32_t without;
    float* nothing = nullptr;
    float* values;
  } arguments{.without = 7, .values = values.data()};
  std::vector<std::span<std::byte>> memory = {std::as_writable_bytes(std::span(values)),
                                              module->constants.at("factors")};
  std::ranges::sort(memory, {}, [](const auto& one) { return one.data(); });
  BlockLayout layout{.width = 4, .height = 2, .shared_bytes = 32};
  const auto run = [&] {
    return Execute(module->kernels.front(), std::as_bytes(std::span(&arguments, 1)), {}, {},
                   AddressSpace(memory), nullptr, layout);
  };
  const auto fault = run();
  ASSERT_TRUE(fault);
  EXPECT_THAT(fault->what, HasSubstr("not at the barrier"));
  layout.may_end_early = true;
  EXPECT_FALSE(run());
  values[6] = 0;  // its neighbour has written nothing
  EXPECT_EQ(values, (std::vector<float>{1.5, 1, 2.5, 2, 3.5, 3, 0, -1}));
  EXPECT_THAT(Parse(kOfOthers), FailsWith(Reason::kInvalidOption, HasSubstr("fma.rn.f32")));
}

TEST(Ptx, WhatIsNotKnownIsRefused) {
  for (const char* body : {
           "\tfma.rn.f32 \t%f1, %f2, %f3, %f4;\n",  // rounds once where the CPU rounds twice
           "\tadd.f32 \t%f1, %f2, %f3;\n",          // may be fused later
           "\tdiv.approx.f32 \t%f1, %f2, %f3;\n",
           "\tmul.rn.ftz.f32 \t%f1, %f2, %f3;\n",
           "\tadd.s32 \t%r1, %r2;\n",
           "\tadd.s32 \t%r1, %r2, %r99;\n",
           "\tbra \t$nowhere;\n",
       }) {
    EXPECT_THAT(Parse(KernelOf(body)), FailsWith(Reason::kInvalidOption, HasSubstr("line")))
        << body;
  }
  EXPECT_THAT(Parse(".visible .entry Try(\n"),
              FailsWith(Reason::kInvalidOption, HasSubstr("ends")));
}

}  // namespace
}  // namespace glint::cuda::ptx
