// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>

namespace glint {

/// Bytes of memory that this process may use: the least of the limits of its control groups
/// (version 2 or 1) and of what the machine has.
/// @param root  of the file system; tests have others. 0 where nothing says how much there is
std::int64_t MemoryLimit(const std::filesystem::path& root = "/");

/// Bytes that a scan may take, beside the service and as many scans as run at a time. At least 1.
std::int64_t ScanShare(std::int64_t memory_bytes, int scans);

/// Pixels of the largest frames that a scan has memory for, beside the service and as many scans as
/// run at a time. What scans take was measured (docs/operations.md) and is rounded up. At least 1.
std::int64_t PixelsWithin(std::int64_t memory_bytes, int scans);

}  // namespace glint
