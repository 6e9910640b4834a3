// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <openssl/ssl.h>

#include <string>

namespace glint {

/// Makes a server speak with what MakeTestCertificate gave.
void UseCertificate(SSL_CTX* context, const std::string& pem);

}  // namespace glint
