// SPDX-License-Identifier: Apache-2.0
#include "cli/choice.h"

namespace glint {

std::string WordsOf(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + names[i];
  }
  return text;
}

}  // namespace glint
