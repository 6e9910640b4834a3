// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace glint {

/// Width and height in pixels.
struct Size {
  int width = 0;
  int height = 0;

  std::int64_t area() const { return std::int64_t{width} * height; }
  bool operator==(const Size&) const = default;
};

/// "1280x720".
std::string ToString(Size size);

/// What one pixel holds. Colour is always R, G, B.
enum class PixelType : std::uint8_t {
  kU8,     ///< 8-bit value: luma 0..255, or a mask of 0 and 255
  kU8x3,   ///< R, G, B, 8 bit each
  kS16,    ///< 16-bit signed integer
  kS32,    ///< 32-bit signed integer
  kF32,    ///< 32-bit float
  kF32x2,  ///< two 32-bit floats: x, y (a flow vector)
};

/// Bytes that one pixel of the type takes.
int BytesPerPixel(PixelType type);

/// Where pixels lie: in host memory, or on a CUDA device.
struct Device {
  int cuda = -1;  ///< CUDA ordinal; -1 is the host

  bool is_host() const { return cuda < 0; }
  bool operator==(const Device&) const = default;
};

/// A two-dimensional array of pixels, on the host or on a device.
///
/// Copying a Plane shares its pixels; the last copy frees them. Writing is for whoever made the
/// plane, before handing it on: a plane that has been passed to a stage is not written any more.
class Plane {
 public:
  /// An empty plane: 0x0, no memory.
  Plane() = default;

  /// A new plane in host memory, uninitialised; every row starts at a multiple of 64 bytes.
  /// @param size  both sides >= 1
  /// Throws std::bad_alloc when memory is out; RunScan turns that into RESOURCE_EXHAUSTED.
  static Plane Host(Size size, PixelType type);

  /// A plane over memory that `owner` keeps alive.
  /// @param stride  bytes from one row to the next, >= width * BytesPerPixel(type)
  Plane(std::shared_ptr<void> owner, std::byte* data, Size size, PixelType type,
        std::ptrdiff_t stride, Device device)
      : owner_(std::move(owner)),
        data_(data),
        size_(size),
        type_(type),
        device_(device),
        stride_(stride) {}

  bool empty() const { return data_ == nullptr; }
  Size size() const { return size_; }
  int width() const { return size_.width; }
  int height() const { return size_.height; }
  PixelType type() const { return type_; }
  Device device() const { return device_; }
  /// Bytes from one row to the next.
  std::ptrdiff_t stride() const { return stride_; }
  /// First byte of row 0, on `device()`.
  std::byte* data() const { return data_; }

  /// Row `y` of a host plane as pixels' components of type T. @param y  0 <= y < height()
  template <class T>
  T* Row(int y) const {
    assert(device_.is_host() && y >= 0 && y < size_.height);
    return reinterpret_cast<T*>(data_ + y * stride_);
  }

 private:
  std::shared_ptr<void> owner_;
  std::byte* data_ = nullptr;
  Size size_;
  PixelType type_ = PixelType::kU8;
  Device device_;
  std::ptrdiff_t stride_ = 0;
};

/// "1280x720 u8 on the host", for messages.
std::string Describe(const Plane& plane);

}  // namespace glint
