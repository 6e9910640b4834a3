// SPDX-License-Identifier: Apache-2.0
// Enough of XML for the flat answers of S3.
#pragma once

#include <string>
#include <string_view>

namespace glint {

/// The text of the first element of that name, as it stands; empty when there is none.
/// @param rest  set to what follows the element, if there is one
std::string_view XmlElement(std::string_view xml, std::string_view name,
                            std::string_view* rest = nullptr);

/// A text as it was before it stood in XML: without the five entities.
std::string XmlUnescaped(std::string text);

}  // namespace glint
