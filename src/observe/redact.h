// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace glint {

/// The text with "[redacted]" in place of what nobody may read: values of Authorization, Cookie and
/// API key headers, and of parameters whose names say secret, token, password, credential,
/// signature or API or access key; bearer credentials; Supabase keys (sb_secret_, sb_publishable_);
/// JSON Web Tokens; user info, query and fragment of URLs; AWS access key ids; and every registered
/// secret.
std::string Redact(std::string_view text);

/// The text for people outside of the machine: of paths only the last name, no address of an inner
/// network, and instead of the store's host and of URLs there "the store". The log has all of them.
/// @param store_host  empty: there is none to hide
std::string WithoutPlaces(std::string_view text, std::string_view store_host = {});

/// Makes Redact hide a value wherever it appears, for the rest of the process; values under 6 bytes
/// are left alone, because hiding them would hide ordinary text. Safe from several threads.
void RegisterSecret(std::string_view value);

}  // namespace glint
