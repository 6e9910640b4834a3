// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "notify/notifier.h"

namespace glint {

inline ScanNotification MakeNotification(const std::string& scan_id, std::int64_t seq,
                                         bool final = false) {
  ScanNotification notification;
  notification.scan_id = scan_id;
  notification.seq = seq;
  notification.final = final;
  return notification;
}

}  // namespace glint
