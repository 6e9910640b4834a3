// SPDX-License-Identifier: Apache-2.0
#include "support/temp_folder.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <string>
#include <system_error>

namespace glint {
namespace fs = std::filesystem;

TempFolder::TempFolder() {
  std::string name = (fs::temp_directory_path() / "glint-test-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) {
    throw std::system_error(errno, std::generic_category(), "mkdtemp " + name);
  }
  path_ = name;
}

TempFolder::~TempFolder() {
  std::error_code ignored;  // a leftover in the temporary folder fails no test
  fs::remove_all(path_, ignored);
}

fs::path TempFolder::Write(std::string_view name, std::string_view content) const {
  fs::path file = path_ / name;
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << content;
  return file;
}

WithoutRootRights::WithoutRootRights() {
  constexpr uid_t kNobody = 65534;
  was_root_ = geteuid() == 0 && seteuid(kNobody) == 0;
}

WithoutRootRights::~WithoutRootRights() {
  if (was_root_ && seteuid(0) != 0) std::abort();
}

}  // namespace glint
