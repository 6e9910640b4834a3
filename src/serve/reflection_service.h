// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "serve/call_router.h"

namespace glint {

/// gRPC's reflection: what services there are, and what their messages look like. A stream whose
/// next request takes too long is ended, as any request is.
void AddReflection(CallRouter& router);

}  // namespace glint
