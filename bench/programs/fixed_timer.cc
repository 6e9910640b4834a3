// SPDX-License-Identifier: Apache-2.0
// Highway's library measures its timer when it is loaded, by an instruction (RDTSCP) that valgrind
// stops at on processors which do not announce it. Programs whose instructions are counted define
// the function themselves, and the library calls that one.
#include <hwy/nanobenchmark.h>

#include <cstdint>

namespace hwy::platform {

std::uint64_t TimerResolution() { return 1; }

}  // namespace hwy::platform
