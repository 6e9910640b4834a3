// SPDX-License-Identifier: Apache-2.0
#include "stages/cuda/context.h"

namespace glint::cuda {

absl::StatusOr<std::unique_ptr<StreamContext>> StreamContext::Make(
    std::shared_ptr<const DeviceContext> device) {
  std::unique_ptr<StreamContext> context(new StreamContext(std::move(device)));
  GLINT_ASSIGN_OR_RETURN(context->stream_, context->device_->gpu->MakeStream());
  return context;
}

absl::StatusOr<Plane> StreamContext::NewPlane(Size size, PixelType type) {
  constexpr std::ptrdiff_t kAlignment = 128;
  const std::ptrdiff_t row = std::ptrdiff_t{size.width} * BytesPerPixel(type);
  const std::ptrdiff_t stride = (row + kAlignment - 1) / kAlignment * kAlignment;
  Block block;
  GLINT_ASSIGN_OR_RETURN(block, pool().Allocate(static_cast<std::size_t>(stride) * size.height));
  std::byte* first = block.get();
  return Plane(std::move(block), first, size, type, stride, device());
}

}  // namespace glint::cuda
