// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include "glint/open_store.h"
#include "glint/url_fetcher.h"

namespace glint {

/// Adds the flags for inputs that are URLs.
void AddDownloadOptions(CLI::App& command, UrlFetchOptions& options);

/// Adds the flags for results that go to an object store. Its secrets have none: they come from the
/// environment.
void AddStoreOptions(CLI::App& command, StoreOptions& options);

}  // namespace glint
