// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cstdlib>

namespace {

// Elsewhere (scripts/bundle.sh) it is looked for as by any program.
[[maybe_unused]] const bool named = access(GLINT_DECODER_PROGRAM, X_OK) == 0 &&
                                    setenv("GLINT_DECODER", GLINT_DECODER_PROGRAM, 0) == 0;

}  // namespace
