// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace glint {

/// The text with "[redacted]" in place of what nobody may read: values of Authorization, apikey and
/// similar headers and of parameters whose names say secret, token, password, key or signature;
/// bearer and basic credentials; Supabase keys (sb_secret_, sb_publishable_); JSON Web Tokens; user
/// info and query strings of URLs; AWS access keys and secrets; and every registered secret.
std::string Redact(std::string_view text);

/// Makes Redact hide a value wherever it appears, for the rest of the process; values under 6 bytes
/// are left alone, because hiding them would hide ordinary text. Safe from several threads.
void RegisterSecret(std::string_view value);

}  // namespace glint
