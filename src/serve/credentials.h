// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>
#include <grpcpp/security/server_credentials.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace glint {

/// The files of a TLS server, PEM.
struct TlsFiles {
  std::filesystem::path cert;  ///< the server's certificate and those between it and its root
  std::filesystem::path key;   ///< its private key
  std::filesystem::path
      client_ca;  ///< clients must show a certificate of one of these; may be empty

  bool wanted() const { return !cert.empty() || !key.empty() || !client_ca.empty(); }
};

/// What is wrong with the files, all of it; empty when they can be used. Expired certificates
/// count.
std::vector<std::string> CheckTlsFiles(const TlsFiles& files);

/// Credentials that follow the files: a renewed certificate is used by new connections within
/// seconds, without a restart. Without files: no encryption.
std::shared_ptr<grpc::ServerCredentials> MakeServerCredentials(const TlsFiles& files);

}  // namespace glint
