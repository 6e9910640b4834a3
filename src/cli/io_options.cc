// SPDX-License-Identifier: Apache-2.0
#include "cli/io_options.h"

#include <cstdint>
#include <map>
#include <string>

namespace glint {

void AddDownloadOptions(CLI::App& command, UrlFetchOptions& options) {
  const std::string group = "Downloads (inputs that are http or https URLs)";
  command
      .add_option(
          "--allow-source", options.allowed_sources,
          "Also download from this host, address or network, with a port where it is not 80 "
          "or 443: media.internal, 10.0.0.0/8:8080, 127.0.0.1:*. Otherwise only public "
          "addresses are")
      ->group(group);
  command
      .add_option("--work-dir", options.work_folder,
                  "Where downloads lie while they are scanned. Default: the temporary folder")
      ->group(group);
  command.add_option("--source-ca", options.ca_file, "PEM certificates to trust for downloads")
      ->check(CLI::ExistingFile)
      ->group(group);
  command
      .add_option_function<double>(
          "--download-timeout",
          [&options](double seconds) {
            options.timeout = std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
          },
          "Seconds that a download may take, repetitions included")
      ->check(CLI::Range(0.001, 1e6))
      ->default_str("900")
      ->group(group);
}

void AddStoreOptions(CLI::App& command, StoreOptions& options) {
  const std::string group = "Object stores (--out s3://... or supabase://...; see docs/storage.md)";
  command
      .add_option("--store-endpoint", options.endpoint,
                  "The server's URL. Default: from the environment, else AWS")
      ->group(group);
  command.add_option("--store-region", options.region, "Default: from the environment")
      ->group(group);
  command
      .add_option("--store-path-style", options.path_style,
                  "Whether the bucket stands in the path of S3's URLs. Default: for endpoints, not "
                  "for AWS")
      ->group(group);
  command
      .add_option(
          "--store-keys", options.key_template,
          "How keys are made: plain ({prefix}/{name}), legacy ({prefix}/{group}/{file}) or a "
          "template")
      ->default_str("plain")
      ->group(group);
  command
      .add_option("--store-objects", options.objects,
                  "What goes into a bucket, of json,png,html; json always")
      ->default_str("json,png,html")
      ->group(group);
  command
      .add_option("--store-cache-control", options.cache_control,
                  "Cache-Control of the objects, such as public,max-age=3600")
      ->group(group);
  command.add_option("--store-ca", options.ca_file, "PEM certificates to trust for the store")
      ->check(CLI::ExistingFile)
      ->group(group);
}

}  // namespace glint
