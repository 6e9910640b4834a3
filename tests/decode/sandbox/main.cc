// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "decode/sandbox/child_roles.h"

// libav is not instrumented: what its threads hand to each other looks like races. Children have no
// environment to read options from.
// NOLINTBEGIN(bugprone-reserved-identifier): the sanitizer looks for this name
extern "C" __attribute__((visibility("default"))) const char* __tsan_default_options();
extern "C" const char* __tsan_default_options() { return "ignore_noninstrumented_modules=1"; }
// NOLINTEND(bugprone-reserved-identifier)

int main(int argc, char** argv) {
  if (const auto exit_code = glint::RunAsChild(argc, argv)) return *exit_code;
  testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
