// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <google/protobuf/descriptor.h>

#include <string>
#include <vector>

namespace glint {

/// Everything of a .proto file that callers depend on, one sorted line each: fields with number,
/// type and label, enum values with number, methods with both messages and whether they stream.
std::vector<std::string> Promises(const google::protobuf::FileDescriptor& file);

/// How the API differs from what was promised.
struct ApiChange {
  std::vector<std::string> broken;  ///< promised lines that are gone
  std::vector<std::string> added;   ///< lines that were not promised yet
};

/// @param locked, current  sorted
ApiChange Compare(const std::vector<std::string>& locked, const std::vector<std::string>& current);

}  // namespace glint
