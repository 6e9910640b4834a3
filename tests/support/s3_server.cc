// SPDX-License-Identifier: Apache-2.0
#include "support/s3_server.h"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>

namespace glint {
namespace {

int RunScript(const char* action, const std::string& folder) {
  const std::string log = folder + "/script.log";
  return std::system(
      fmt::format("{}/scripts/s3_server.sh {} {} > {} 2>&1", GLINT_SOURCE_DIR, action, folder, log)
          .c_str());
}

}  // namespace

S3Server* S3Server::Get() {
  static const std::unique_ptr<S3Server> server = [] {
    std::unique_ptr<S3Server> made(new S3Server);
    if (!made->Start()) made.reset();
    return made;
  }();
  return server.get();
}

bool S3Server::Start() {
  if (RunScript("start", folder_.path().string()) != 0) return false;
  std::ifstream file(folder_.path() / "s3.env");
  for (std::string line; std::getline(file, line);) {
    const std::size_t equals = line.find('=');
    environment_[line.substr(0, equals)] = line.substr(equals + 1);
  }
  return environment_.size() == 3;
}

S3Server::~S3Server() { RunScript("stop", folder_.path().string()); }

}  // namespace glint
