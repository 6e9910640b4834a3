// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace glint {

/// The OpenAPI 3.0 document of HttpRoutes() and of the messages that they take and give, as JSON.
std::string OpenApiDocument(std::string_view version);

}  // namespace glint
