// SPDX-License-Identifier: Apache-2.0
#include "store/xml_text.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace glint {

std::string_view XmlElement(std::string_view xml, std::string_view name, std::string_view* rest) {
  const std::string open = fmt::format("<{}>", name);
  const std::string close = fmt::format("</{}>", name);
  const std::size_t begin = xml.find(open);
  const std::size_t end = begin == std::string_view::npos ? begin : xml.find(close, begin);
  if (end == std::string_view::npos) return "";
  if (rest != nullptr) *rest = xml.substr(end + close.size());
  return xml.substr(begin + open.size(), end - begin - open.size());
}

std::string XmlUnescaped(std::string text) {
  constexpr std::array<std::pair<std::string_view, char>, 5> kEntities = {
      {{"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}, {"&amp;", '&'}}};
  for (const auto& [entity, character] : kEntities) {
    for (std::size_t at = text.find(entity); at != std::string::npos;
         at = text.find(entity, at + 1)) {
      text.replace(at, entity.size(), 1, character);
    }
  }
  return text;
}

}  // namespace glint
