// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace glint {

/// Which side of an item a clip shows. A bound edge that lies on the left of the front lies on the
/// right of the back.
enum class ObjectSide { kFront, kBack };

}  // namespace glint
