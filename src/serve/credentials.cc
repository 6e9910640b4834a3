// SPDX-License-Identifier: Apache-2.0
#include "serve/credentials.h"

#include <fmt/format.h>
#include <grpcpp/security/tls_certificate_provider.h>
#include <grpcpp/security/tls_credentials_options.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <cstdio>
#include <memory>

namespace glint {
namespace {

namespace experimental = grpc::experimental;

struct Free {
  void operator()(BIO* file) const { BIO_free(file); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
using Certificate = std::unique_ptr<X509, Free>;
using Key = std::unique_ptr<EVP_PKEY, Free>;

/// Keys with a passphrase are refused instead of asked for on the terminal.
int NoPassphrase(char* /*buffer*/, int /*size*/, int /*writing*/, void* /*data*/) { return -1; }

Certificate ReadCertificate(const std::filesystem::path& path) {
  const std::unique_ptr<BIO, Free> file(BIO_new_file(path.c_str(), "r"));
  return Certificate(file ? PEM_read_bio_X509(file.get(), nullptr, NoPassphrase, nullptr)
                          : nullptr);
}

Key ReadKey(const std::filesystem::path& path) {
  const std::unique_ptr<BIO, Free> file(BIO_new_file(path.c_str(), "r"));
  return Key(file ? PEM_read_bio_PrivateKey(file.get(), nullptr, NoPassphrase, nullptr) : nullptr);
}

}  // namespace

std::vector<std::string> CheckTlsFiles(const TlsFiles& files) {
  std::vector<std::string> wrong;
  if (!files.wanted()) return wrong;
  if (files.cert.empty()) wrong.emplace_back("tls.cert: is missing; TLS needs a certificate");
  if (files.key.empty()) wrong.emplace_back("tls.key: is missing; TLS needs a private key");
  const Certificate certificate = files.cert.empty() ? nullptr : ReadCertificate(files.cert);
  const Key key = files.key.empty() ? nullptr : ReadKey(files.key);
  if (!files.cert.empty() && !certificate) {
    wrong.push_back(fmt::format("tls.cert: {} cannot be read or holds no PEM certificate",
                                files.cert.string()));
  }
  if (!files.key.empty() && !key) {
    wrong.push_back(
        fmt::format("tls.key: {} cannot be read or holds no PEM private key without a passphrase",
                    files.key.string()));
  }
  if (certificate && key && X509_check_private_key(certificate.get(), key.get()) != 1) {
    wrong.emplace_back("tls.key: is not the key of the certificate in tls.cert");
  }
  if (certificate && X509_cmp_current_time(X509_get0_notAfter(certificate.get())) < 0) {
    wrong.push_back(fmt::format("tls.cert: {} has expired", files.cert.string()));
  }
  if (!files.client_ca.empty() && !ReadCertificate(files.client_ca)) {
    wrong.push_back(fmt::format("tls.client-ca: {} cannot be read or holds no PEM certificate",
                                files.client_ca.string()));
  }
  return wrong;
}

std::shared_ptr<grpc::ServerCredentials> MakeServerCredentials(const TlsFiles& files) {
  if (!files.wanted()) return grpc::InsecureServerCredentials();
  constexpr unsigned kPollSeconds = 5;
  experimental::TlsServerCredentialsOptions options(
      std::make_shared<experimental::FileWatcherCertificateProvider>(
          files.key.string(), files.cert.string(), files.client_ca.string(), kPollSeconds));
  options.watch_identity_key_cert_pairs();
  if (files.client_ca.empty()) {
    options.set_cert_request_type(GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE);
  } else {
    options.watch_root_certs();
    options.set_cert_request_type(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  }
  return experimental::TlsServerCredentials(options);
}

}  // namespace glint
