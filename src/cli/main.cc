// SPDX-License-Identifier: Apache-2.0
#include <malloc.h>

#include <string_view>

#include "cli/command_line.h"
#include "decode/sandbox/decode_child.h"

int main(int argc, char** argv) {
  // Before anything else: the child that opens an untrusted video runs no other code of ours.
  if (argc == 2 && std::string_view(argv[1]) == glint::kDecodeChildCommand) {
    return glint::RunDecodeChild();
  }
#ifdef __GLIBC__
  // One heap: with one per thread, what a thread has freed is lost to the others, up to a sixth of
  // a scan's memory. Threads hardly ever allocate at the same time here.
  mallopt(M_ARENA_MAX, 1);
#endif
  return glint::RunCommandLine(argc, argv);
}
