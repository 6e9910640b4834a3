// SPDX-License-Identifier: Apache-2.0
#include "support/real_servers.h"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>

namespace glint {

int RealServer::Run(const std::string& action, const std::string& argument) const {
  const std::string folder = folder_.path().string();
  return std::system(fmt::format("{}/scripts/{} {} {} '{}' > {}/script.log 2>&1", GLINT_SOURCE_DIR,
                                 script_, action, folder, argument, folder)
                         .c_str());
}

bool RealServer::Start(const std::string& written, const std::string& argument) {
  if (Run("start", argument) != 0) return false;
  std::ifstream file(folder_.path() / written);
  for (std::string line; std::getline(file, line);) {
    const std::size_t equals = line.find('=');
    environment_[line.substr(0, equals)] = line.substr(equals + 1);
  }
  return !environment_.empty();
}

RealServer::~RealServer() { Run("stop", ""); }

S3Server* S3Server::Get() {
  static const std::unique_ptr<S3Server> server = [] {
    std::unique_ptr<S3Server> made(new S3Server);
    if (!made->Start("s3.env")) made.reset();
    return made;
  }();
  return server.get();
}

SupabaseServer* SupabaseServer::Get() {
  static const std::unique_ptr<SupabaseServer> server = [] {
    const char* checkout = std::getenv("GLINT_TEST_SUPABASE_SOURCE");
    std::unique_ptr<SupabaseServer> made(new SupabaseServer);
    if (checkout == nullptr || !made->Start("supabase.env", checkout)) made.reset();
    return made;
  }();
  return server.get();
}

}  // namespace glint
