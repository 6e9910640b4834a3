// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "decode/sandbox/child_roles.h"

int main(int argc, char** argv) {
  if (const auto exit_code = glint::RunAsChild(argc, argv)) return *exit_code;
  testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
