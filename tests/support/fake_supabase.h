// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <string>

#include "support/http_server.h"

namespace glint {

/// Enough of Supabase Storage for our store: its requests, its rule for keys, its row-level
/// security, and its two ways to say what failed. Answers as the real one does, which
/// tests/store/supabase_alike_test.cc compares.
class FakeSupabase {
 public:
  static constexpr const char* kJwtKey = "eyJhbGciOiJIUzI1NiJ9.eyJyb2xlIjoic2VydmljZSJ9.c2ln";
  /// Of the role "anon", which row-level security lets do nothing.
  static constexpr const char* kAnonKey = "eyJhbGciOiJIUzI1NiJ9.eyJyb2xlIjoiYW5vbiJ9.c2ln";
  static constexpr const char* kExpiredKey = "eyJhbGciOiJIUzI1NiJ9.eyJleHAiOjF9.c2ln";
  static constexpr const char* kSecretKey = "sb_secret_0123456789abcdef";
  /// A secret key that this server wants as a bearer token, too.
  static constexpr const char* kOldServerKey = "sb_secret_of_an_old_server";

  struct Options {
    bool new_errors = false;                   ///< true statuses and {"code", "message"}
    std::set<std::string> allowed_types = {};  ///< empty: all; "image/*" is all of its kind
    std::size_t max_bytes = 50'000'000;
    bool deletes = true;     ///< false: as row-level security has it: 200, and nothing is deleted
    bool is_public = false;  ///< whether everybody may read the bucket
    bool keeps_requests = true;  ///< of the server
  };
  struct Object {
    std::string content;
    std::string type;
    std::string cache_control;
    std::string modified = {};  ///< "2026-01-02T03:04:05.678Z"
  };

  FakeSupabase() : FakeSupabase(Options()) {}
  explicit FakeSupabase(Options options);

  /// What SUPABASE_URL would hold.
  std::string url() const { return server_.Url(""); }
  std::map<std::string, Object> objects() const;
  HttpServer& server() { return server_; }
  /// From now on no URL is signed: each request for some gets this status. 0: they are again
  void RefuseSigning(int status) { signing_fails_with_ = status; }

 private:
  struct Failure {
    int status;
    std::string code;
    std::string error;
    std::string message;
  };
  enum class Role { kRefused, kAnon, kService };
  void Serve(const ServerRequest& request, ServerReply& reply);
  void Fail(ServerReply& reply, const Failure& failure) const;
  /// Answers where the key is refused.
  Role RoleOf(const ServerRequest& request, ServerReply& reply) const;
  /// Whether the request was one that needs no key; it is answered then.
  bool ServedWithoutKey(const ServerRequest& request, ServerReply& reply, const std::string& path);
  void Route(const ServerRequest& request, ServerReply& reply, const std::string& path, Role role);
  bool Takes(const std::string& type) const;
  void Upload(const ServerRequest& request, ServerReply& reply, const std::string& key, Role role);
  void Delete(const ServerRequest& request, ServerReply& reply, bool may);
  void List(const ServerRequest& request, ServerReply& reply, bool may) const;
  void Copy(const ServerRequest& request, ServerReply& reply, Role role);
  void Sign(const ServerRequest& request, ServerReply& reply, const std::string& bucket, Role role);
  void ReadSigned(ServerReply& reply, const std::string& path);
  void Read(ServerReply& reply, const std::string& key, bool info);

  const Options options_;
  std::atomic<int> signing_fails_with_ = 0;
  mutable std::mutex mutex_;
  std::map<std::string, Object> objects_;  // by key; the one bucket is "masks"
  HttpServer server_;
};

}  // namespace glint
