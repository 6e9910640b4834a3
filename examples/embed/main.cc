// SPDX-License-Identifier: Apache-2.0
// Scans one video through the library: embed VIDEO RESULT_FOLDER [ITEM_TYPE]
#include <glint/error.h>
#include <glint/item_type.h>
#include <glint/profile.h>
#include <glint/scan.h>
#include <glint/thread_pool.h>
#include <glint/version.h>
#include <glint/video_opener.h>

#include <iostream>
#include <string_view>

namespace {

int Fail(const absl::Status& status) {
  std::cerr << "embed: " << glint::Message(status) << '\n';
  const auto reason = glint::ReasonOf(status);
  return glint::Info(reason.value_or(glint::Reason::kInternal)).exit_code;
}

int Usage() {
  std::cerr << "usage: embed VIDEO RESULT_FOLDER [ITEM_TYPE]\nglint " << glint::Version()
            << " knows these item types:\n";
  for (const glint::ItemType& type : glint::ItemTypes()) {
    std::cerr << "  " << type.name << ": " << type.help << '\n';
  }
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 && argc != 4) return Usage();
  // One pool of threads and one of devices serve all scans of a process, also several at a time.
  const auto pool = glint::MakeThreadPool(2);
  auto chosen = glint::SelectBackends("auto", glint::BackendTable(), {.pool = pool.get()});
  if (!chosen.ok()) return Fail(chosen.status());
  glint::DevicePool devices(*std::move(chosen));
  // Videos are decoded by a program of its own, so that yours is linked with no codec: here the one
  // that was installed with the library. Without a name it is looked for beside your program, in
  // ../libexec/glint of it, and where GLINT_DECODER says.
  const auto warn = [](std::string_view text) { std::cerr << "embed: " << text << '\n'; };
  const auto open_video = glint::MakeVideoOpener({.decoder = GLINT_DECODER, .warn = warn});
  if (!open_video.ok()) return Fail(open_video.status());
  const auto fetcher = glint::MakeFileFetcher();
  const auto store = glint::MakeFolderStore(argv[2]);

  const glint::ScanRequest request{.scan_id = "embed",
                                   .input = argv[1],
                                   .item_type = argc == 4 ? argv[3] : "card",
                                   .profile = std::string(Name(glint::Profile::kPhotometric))};
  const auto result = glint::RunScan(request,
                                     {.fetcher = *fetcher,
                                      .store = *store,
                                      .devices = devices,
                                      .pool = *pool,
                                      .open_video = *open_video},
                                     {});
  if (!result.ok()) return Fail(result.status());

  const glint::ScanReport& report = result->report;
  for (const std::string& advice : report.advice) std::cout << advice << '\n';
  std::cout << report.frames.size() << " frames, " << report.golden.size() << " chosen, "
            << report.regions_found << " regions; see " << store->Locate("", "report.html") << '\n';
  return 0;
}
