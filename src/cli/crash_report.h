// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace glint {

/// From now on a signal that ends the program for its own fault (SIGSEGV, SIGABRT, SIGBUS, ...)
/// first writes the thread's stack to stderr, and then ends it as before, with its core dump.
/// What SIGTERM does stays. @param program  argv[0], whose symbols name the functions
void ReportCrashes(const char* program);

}  // namespace glint
