// SPDX-License-Identifier: Apache-2.0
#include <malloc.h>

#include "cli/command_line.h"

int main(int argc, char** argv) {
#ifdef __GLIBC__
  // One heap: with one per thread, what a thread has freed is lost to the others, up to a sixth of
  // a scan's memory. Threads hardly ever allocate at the same time here.
  mallopt(M_ARENA_MAX, 1);
#endif
  return glint::RunCommandLine(argc, argv);
}
