// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>

#include "support/temp_folder.h"

namespace glint {

/// A server of its own processes, which a script of scripts/ starts and stops.
class RealServer {
 public:
  ~RealServer();
  RealServer(const RealServer&) = delete;
  RealServer& operator=(const RealServer&) = delete;

  /// How to reach it, as the script wrote it down.
  const std::map<std::string, std::string>& environment() const { return environment_; }

 protected:
  explicit RealServer(std::string script) : script_(std::move(script)) {}
  /// @param written   the file that the script writes
  /// @param argument  for the script, behind the folder
  bool Start(const std::string& written, const std::string& argument = "");

 private:
  int Run(const std::string& action, const std::string& argument) const;

  const std::string script_;
  const TempFolder folder_;
  std::map<std::string, std::string> environment_;
};

/// A real S3 server (Ceph's object gateway, scripts/s3_server.sh), started when it is first asked
/// for and stopped at the end of the test program.
class S3Server final : public RealServer {
 public:
  /// The one of this program; null where Ceph is not installed (tests are skipped then).
  static S3Server* Get();

  std::string endpoint() const { return environment().at("AWS_ENDPOINT_URL"); }

 private:
  S3Server() : RealServer("s3_server.sh") {}
};

/// A real Supabase Storage server (scripts/supabase_server.sh), likewise.
class SupabaseServer final : public RealServer {
 public:
  /// The one of this program; null where GLINT_TEST_SUPABASE_SOURCE names no built checkout of
  /// github.com/supabase/storage.
  static SupabaseServer* Get();

  /// Of the storage service itself.
  std::string url() const { return environment().at("SUPABASE_URL"); }
  std::string key() const { return environment().at("SUPABASE_SERVICE_ROLE_KEY"); }

 private:
  SupabaseServer() : RealServer("supabase_server.sh") {}
};

}  // namespace glint
