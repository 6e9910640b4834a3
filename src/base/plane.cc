// SPDX-License-Identifier: Apache-2.0
#include "glint/plane.h"

#include <fmt/format.h>

#include <new>

#include "base/large_memory.h"

namespace glint {
namespace {

constexpr std::ptrdiff_t kAlignment = 64;
/// Bytes from which on a plane goes back to the system when it is freed: a 4K frame's luma. Smaller
/// ones are kept for the next one, which takes less time.
constexpr std::size_t kMinLarge = 6 << 20;

std::string_view Name(PixelType type) {
  switch (type) {
    case PixelType::kU8:
      return "u8";
    case PixelType::kU8x3:
      return "u8x3";
    case PixelType::kS16:
      return "s16";
    case PixelType::kS32:
      return "s32";
    case PixelType::kF32:
      return "f32";
    case PixelType::kF32x2:
      return "f32x2";
  }
  return "?";
}

}  // namespace

std::string ToString(Size size) { return fmt::format("{}x{}", size.width, size.height); }

int BytesPerPixel(PixelType type) {
  switch (type) {
    case PixelType::kU8:
      return 1;
    case PixelType::kU8x3:
      return 3;
    case PixelType::kS16:
      return 2;
    case PixelType::kS32:
    case PixelType::kF32:
      return 4;
    case PixelType::kF32x2:
      return 8;
  }
  return 0;
}

Plane Plane::Host(Size size, PixelType type) {
  assert(size.width >= 1 && size.height >= 1);
  const std::ptrdiff_t stride =
      (std::ptrdiff_t{size.width} * BytesPerPixel(type) + kAlignment - 1) / kAlignment * kAlignment;
  const std::size_t bytes =
      static_cast<std::size_t>(stride) * static_cast<std::size_t>(size.height);
  if (bytes >= kMinLarge) {
    const auto memory = std::make_shared<LargeMemory>(bytes);
    return {memory, memory->data(), size, type, stride, {}};
  }
  constexpr std::align_val_t kAlign{kAlignment};
  auto* data = static_cast<std::byte*>(::operator new(bytes, kAlign));
  std::shared_ptr<void> owner(data,
                              [](void* p) { ::operator delete (p, std::align_val_t{kAlignment}); });
  return {std::move(owner), data, size, type, stride, {}};
}

std::string Describe(const Plane& plane) {
  if (plane.empty()) return "an empty plane";
  const std::string where =
      plane.device().is_host() ? "the host" : fmt::format("cuda:{}", plane.device().cuda);
  return fmt::format("{} {} on {}", ToString(plane.size()), Name(plane.type()), where);
}

}  // namespace glint
