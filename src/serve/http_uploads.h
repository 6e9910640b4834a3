// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "serve/http_routes.h"
#include "serve/pending_call.h"
#include "serve/service_state.h"
#include "uploads/upload_store.h"
#include "web/web_server.h"

namespace glint {

/// What becomes of a request of the tus 1.0.0 protocol (core, creation, expiration, termination),
/// or of a PUT of a whole upload. Never waits.
/// @param uploads,state  must outlive the request
WebPlan PlanUpload(UploadStore& uploads, ServiceState& state, const WebRequest& request,
                   HttpTask task, const std::string& id, PendingCall::Facts facts);

}  // namespace glint
