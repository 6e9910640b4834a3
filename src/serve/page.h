// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "web/web_server.h"

namespace glint {

/// A file of the worker's page for people (src/serve/page), which are built into the program.
WebAnswer PageAnswer(std::string_view file);

}  // namespace glint
