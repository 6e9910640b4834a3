// SPDX-License-Identifier: Apache-2.0
// Scans one video through the library: embed VIDEO RESULT_FOLDER
#include <glint/error.h>
#include <glint/scan.h>
#include <glint/thread_pool.h>

#include <iostream>

namespace {

int Fail(const absl::Status& status) {
  std::cerr << "embed: " << glint::Message(status) << '\n';
  const auto reason = glint::ReasonOf(status);
  return glint::Info(reason.value_or(glint::Reason::kInternal)).exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: embed VIDEO RESULT_FOLDER\n";
    return 2;
  }
  // One pool of threads and one of devices serve all scans of a process, also several at a time.
  const auto pool = glint::MakeThreadPool(2);
  auto chosen = glint::SelectBackends("auto", glint::BackendTable(), {.pool = pool.get()});
  if (!chosen.ok()) return Fail(chosen.status());
  glint::DevicePool devices(*std::move(chosen));
  const auto fetcher = glint::MakeFileFetcher();
  const auto store = glint::MakeFolderStore(argv[2]);

  const glint::ScanRequest request{.scan_id = "embed", .input = argv[1], .item_type = "card"};
  const auto result = glint::RunScan(request, {*fetcher, *store, devices, *pool}, {});
  if (!result.ok()) return Fail(result.status());

  const glint::ScanReport& report = result->report;
  for (const std::string& advice : report.advice) std::cout << advice << '\n';
  std::cout << report.frames.size() << " frames, " << report.golden.size() << " chosen, "
            << report.regions_found << " regions; see " << store->Locate("", "report.html") << '\n';
  return 0;
}
