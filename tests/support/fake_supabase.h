// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <set>
#include <string>

#include "support/http_server.h"

namespace glint {

/// Enough of Supabase Storage for our store: its requests, its rule for keys, and its two ways to
/// say what failed. After the answers of the real service.
class FakeSupabase {
 public:
  static constexpr const char* kJwtKey = "eyJhbGciOiJIUzI1NiJ9.eyJyb2xlIjoic2VydmljZSJ9.c2ln";
  static constexpr const char* kSecretKey = "sb_secret_0123456789abcdef";
  /// A secret key that this server wants as a bearer token, too.
  static constexpr const char* kOldServerKey = "sb_secret_of_an_old_server";

  struct Options {
    bool new_errors = false;                   ///< true statuses and {"code", "message"}
    std::set<std::string> allowed_types = {};  ///< empty: all
    std::size_t max_bytes = 50'000'000;
    bool deletes = true;  ///< false: as row-level security has it: 200, and nothing is deleted
  };
  struct Object {
    std::string content;
    std::string type;
    std::string cache_control;
  };

  FakeSupabase() : FakeSupabase(Options()) {}
  explicit FakeSupabase(Options options);

  /// What SUPABASE_URL would hold.
  std::string url() const { return server_.Url(""); }
  std::map<std::string, Object> objects() const;
  HttpServer& server() { return server_; }

 private:
  struct Failure {
    int status;
    std::string code;
    std::string error;
    std::string message;
  };
  void Serve(const ServerRequest& request, ServerReply& reply);
  void Fail(ServerReply& reply, const Failure& failure) const;
  bool Authorized(const ServerRequest& request, ServerReply& reply) const;
  void Route(const ServerRequest& request, ServerReply& reply, const std::string& path);
  void Upload(const ServerRequest& request, ServerReply& reply, const std::string& key);
  void Delete(const ServerRequest& request, ServerReply& reply);
  void List(const ServerRequest& request, ServerReply& reply) const;
  void Copy(const ServerRequest& request, ServerReply& reply);
  void Sign(const ServerRequest& request, ServerReply& reply, const std::string& bucket);
  void Read(ServerReply& reply, const std::string& key, bool info);

  const Options options_;
  mutable std::mutex mutex_;
  std::map<std::string, Object> objects_;  // by key; the one bucket is "masks"
  HttpServer server_;
};

}  // namespace glint
