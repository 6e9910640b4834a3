// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "glint/url_fetcher.h"
#include "http/http_client.h"

namespace glint {

/// How downloads speak HTTP: every socket is checked, no proxy comes in between.
inline HttpClientOptions UrlClientOptions(const UrlFetchOptions& options,
                                          const AddressPolicy& policy) {
  HttpClientOptions client;
  client.policy = policy;
  client.ca_file = options.ca_file;
  client.resolver = options.resolver;
  return client;
}

/// As the public one, with the clock that repetitions and the time limit go by.
absl::StatusOr<std::unique_ptr<Fetcher>> MakeUrlFetcher(UrlFetchOptions options,
                                                        SteadyClock& clock);

}  // namespace glint
