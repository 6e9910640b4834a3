// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace glint {

/// A `traceparent` of W3C's Trace Context (version 00 or later) as it is passed on; empty when it
/// is none, as the standard asks.
std::string TraceParent(std::string_view header);

/// Its trace id, 32 hex digits, for the log; empty for an empty one.
std::string_view TraceId(std::string_view traceparent);

}  // namespace glint
