// SPDX-License-Identifier: Apache-2.0
#include "web/web_tls.h"

#include <gnutls/gnutls.h>
#include <gnutls/x509.h>

#include <array>
#include <fstream>
#include <iterator>

namespace glint {
namespace {

std::string ReadText(const std::filesystem::path& file) {
  if (file.empty()) return "";
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

WebTlsTexts ReadWebTls(const WebTls& files) {
  return {.cert = ReadText(files.cert),
          .key = ReadText(files.key),
          .client_ca = ReadText(files.client_ca)};
}

bool ShowedCertificate(MHD_Connection* connection) {
  const auto* info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
  if (info == nullptr) return false;
  auto* session = static_cast<gnutls_session_t>(info->tls_session);
  std::string purpose = GNUTLS_KP_TLS_WWW_CLIENT;
  std::array<gnutls_typed_vdata_st, 1> wanted = {
      {{.type = GNUTLS_DT_KEY_PURPOSE_OID,
        .data = reinterpret_cast<unsigned char*>(purpose.data()),
        .size = static_cast<unsigned>(purpose.size())}}};
  unsigned wrong = 1;  // no certificate at all is a failure of the call
  return gnutls_certificate_verify_peers(session, wanted.data(), wanted.size(), &wrong) ==
             GNUTLS_E_SUCCESS &&
         wrong == 0;
}

}  // namespace glint
