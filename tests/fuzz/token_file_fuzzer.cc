// SPDX-License-Identifier: Apache-2.0
// Any bytes as the file of the clients' tokens: refused, or exactly the last words of its lines are
// tokens, and nothing that is shorter than a token may be.
#include <spdlog/spdlog.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>

#include "glint/error.h"
#include "serve/token_list.h"

namespace {

using namespace glint;

void Require(bool holds) {
  if (!holds) std::abort();
}

/// The tokens of a file, read in the plainest way. @param good  set to whether all are long enough
std::set<std::string> TokensOf(std::string_view file, bool& good) {
  std::set<std::string> tokens;
  for (std::size_t begin = 0; begin < file.size();) {
    const std::size_t end = std::min(file.find('\n', begin), file.size());
    const std::string_view line = file.substr(begin, end - begin);
    begin = end + 1;
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string_view::npos || line[first] == '#') continue;
    const std::size_t last = line.find_last_not_of(" \t\r");
    std::size_t word = last;
    while (word > first && line[word - 1] != ' ' && line[word - 1] != '\t') --word;
    tokens.emplace(line.substr(word, last - word + 1));
    if (last - word + 1 < TokenList::kMinBytes) good = false;
  }
  return tokens;
}

void Check(TokenList& list, const std::set<std::string>& tokens) {
  for (const std::string& token : tokens) {
    const auto found = list.Find(token);
    Require(found && !found->name.empty());
    Require(tokens.contains(token + "x") || !list.Find(token + "x"));
    const std::string less = token.substr(0, token.size() - 1);
    Require(tokens.contains(less) || !list.Find(less));
  }
  Require(!list.Find("") && !list.Find("#"));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view content(reinterpret_cast<const char*>(data), size);
  spdlog::set_level(spdlog::level::off);
  const int file = memfd_create("tokens", MFD_CLOEXEC);
  if (file < 0) return 0;
  if (write(file, data, size) == static_cast<ssize_t>(size)) {
    bool good = true;
    const auto tokens = TokensOf(content, good);
    const auto list = TokenList::Load("", "/proc/self/fd/" + std::to_string(file));
    // A line that says what its token allows may be refused for that.
    if (content.find('=') == std::string_view::npos) {
      Require(list.ok() == (good && !tokens.empty()));
    } else {
      Require(!list.ok() || (good && !tokens.empty()));
    }
    if (list.ok()) {
      Check(**list, tokens);
    } else {
      Require(!Message(list.status()).empty());
    }
  }
  close(file);
  const auto fixed = TokenList::Load(content, "");  // as from the environment
  Require(!fixed.ok() || !(*fixed)->Find(""));
  return 0;
}
