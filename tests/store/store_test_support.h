// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "glint/object_store.h"

namespace glint {

inline std::span<const std::byte> Bytes(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

inline absl::Status PutText(Publication& publication, std::string_view name,
                            std::string_view text) {
  return publication.Put(name, Bytes(text), "application/json");
}

}  // namespace glint
