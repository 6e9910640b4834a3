// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "notify/notifier.h"

namespace glint {

inline ScanNotice Notice(const std::string& scan_id, std::int64_t seq, bool final = false) {
  ScanNotice notice;
  notice.scan_id = scan_id;
  notice.seq = seq;
  notice.final = final;
  return notice;
}

}  // namespace glint
