// SPDX-License-Identifier: Apache-2.0
#include "glint/version.h"

namespace glint {

std::string_view Version() { return GLINT_VERSION; }

}  // namespace glint
