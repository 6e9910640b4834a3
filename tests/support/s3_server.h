// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "support/temp_folder.h"

namespace glint {

/// A real S3 server (Ceph's object gateway, scripts/s3_server.sh), started when it is first asked
/// for and stopped at the end of the test program.
class S3Server {
 public:
  /// The one of this program; null where Ceph is not installed (tests are skipped then).
  static S3Server* Get();

  ~S3Server();
  S3Server(const S3Server&) = delete;
  S3Server& operator=(const S3Server&) = delete;

  std::string endpoint() const { return environment_.at("AWS_ENDPOINT_URL"); }
  /// AWS_ENDPOINT_URL, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.
  const std::map<std::string, std::string>& environment() const { return environment_; }

 private:
  S3Server() = default;
  bool Start();

  const TempFolder folder_;
  std::map<std::string, std::string> environment_;
};

}  // namespace glint
