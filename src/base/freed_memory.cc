// SPDX-License-Identifier: Apache-2.0
#include "base/freed_memory.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace glint {

void ReturnFreedMemory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

}  // namespace glint
