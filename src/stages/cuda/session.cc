// SPDX-License-Identifier: Apache-2.0
#include "stages/cuda/session.h"

namespace glint::cuda {

absl::StatusOr<std::unique_ptr<Workplace>> Workplace::Make(std::shared_ptr<const Session> session) {
  std::unique_ptr<Workplace> workplace(new Workplace(std::move(session)));
  GLINT_TAKE(workplace->stream_, workplace->session_->gpu->MakeStream());
  return workplace;
}

absl::StatusOr<Plane> Workplace::NewPlane(Size size, PixelType type) {
  constexpr std::ptrdiff_t kAlignment = 128;
  const std::ptrdiff_t row = std::ptrdiff_t{size.width} * BytesPerPixel(type);
  const std::ptrdiff_t stride = (row + kAlignment - 1) / kAlignment * kAlignment;
  Block block;
  GLINT_TAKE(block, pool().Take(static_cast<std::size_t>(stride) * size.height));
  std::byte* first = block.get();
  return Plane(std::move(block), first, size, type, stride, device());
}

}  // namespace glint::cuda
