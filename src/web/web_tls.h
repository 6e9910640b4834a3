// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <microhttpd.h>

#include <filesystem>
#include <memory>
#include <string>

namespace glint {

/// The files of a server that speaks TLS, PEM. None: it does not.
struct WebTls {
  std::filesystem::path cert;       ///< its certificate and those between it and its root
  std::filesystem::path key;        ///< its private key
  std::filesystem::path client_ca;  ///< clients must show a certificate of one of these; or empty

  bool wanted() const { return !cert.empty(); }
};

/// What the files held when they were read.
struct WebTlsTexts {
  std::string cert, key, client_ca;
  bool operator==(const WebTlsTexts&) const = default;
};

/// Reads them; what cannot be read is empty.
WebTlsTexts ReadWebTls(const WebTls& files);

/// Whether the client of a TLS connection has shown a certificate that one of the server's client
/// authorities has signed for clients, and that is valid today.
bool ShowedCertificate(MHD_Connection* connection);

}  // namespace glint
