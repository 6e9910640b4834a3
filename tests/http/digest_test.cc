// SPDX-License-Identifier: Apache-2.0
#include "http/digest.h"

#include <gtest/gtest.h>

namespace glint {
namespace {

// Values of FIPS 180-4, RFC 4231 (case 2) and RFC 1321.
TEST(Digest, AgreesWithTheStandards) {
  EXPECT_EQ(Sha256Hex(std::string_view("abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Hex(HmacSha256("Jefe", "what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(Md5Base64("abc"), "kAFQmDzST7DWlj99KOF/cg==");
}

}  // namespace
}  // namespace glint
