// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cstdlib>

namespace {

// Elsewhere (scripts/bundle.sh) it is looked for as by any program.
bool Name(const char* variable, const char* program) {
  return access(program, X_OK) == 0 && setenv(variable, program, 0) == 0;
}
[[maybe_unused]] const bool decoder = Name("GLINT_DECODER", GLINT_DECODER_PROGRAM);
[[maybe_unused]] const bool encoder = Name("GLINT_ENCODER", GLINT_ENCODER_PROGRAM);

}  // namespace
