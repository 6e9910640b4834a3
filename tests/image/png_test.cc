// SPDX-License-Identifier: Apache-2.0
#include "image/png.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <png.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "support/plane_compare.h"
#include "support/status_matchers.h"

namespace glint {
namespace {

using testing::HasSubstr;

/// What a frame of a video looks like: shades, hard edges, and grain that spans some pixels.
Plane TexturedPicture(Size size) {
  const Plane noise = NoisePlane({size.width + 4, size.height + 4}, 5);
  Plane plane = Plane::Host(size, PixelType::kU8x3);
  for (int y = 0; y < size.height; ++y) {
    for (int x = 0; x < size.width; ++x) {
      const bool panel = (x / 90 + y / 70) % 3 == 0;
      const int shade = 90 + (x * 60) / size.width + (y * 40) / size.height + (panel ? 45 : 0);
      int grain = 0;
      for (int k = 0; k < 25; ++k) grain += noise.Row<std::uint8_t>(y + k / 5)[x + k % 5];
      for (int c = 0; c < 3; ++c) {
        plane.Row<std::uint8_t>(y)[3 * x + c] =
            static_cast<std::uint8_t>(shade - 12 * c + grain / 256);
      }
    }
  }
  return plane;
}

Plane Mask(Size size) {
  Plane plane = Plane::Host(size, PixelType::kU8);
  for (int y = 0; y < size.height; ++y) {
    for (int x = 0; x < size.width; ++x) {
      plane.Row<std::uint8_t>(y)[x] = std::abs(x - 2 * y) < 9 || x * y % 997 == 0 ? 255 : 0;
    }
  }
  return plane;
}

Plane Numbers(Size size, std::initializer_list<std::int32_t> values) {
  Plane plane = Plane::Host(size, PixelType::kS32);
  const std::int32_t* next = values.begin();
  for (int y = 0; y < size.height; ++y) {
    for (int x = 0; x < size.width; ++x) plane.Row<std::int32_t>(y)[x] = *next++;
  }
  return plane;
}

/// A file written by libpng's simplified interface, for what EncodePng does not write.
std::vector<std::byte> WriteWithLibpng(Size size, png_uint_32 format, const void* pixels,
                                       const void* colours = nullptr, int colour_count = 0) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(size.width);
  image.height = static_cast<png_uint_32>(size.height);
  image.format = format;
  image.colormap_entries = static_cast<png_uint_32>(colour_count);
  png_alloc_size_t bytes = 0;
  EXPECT_TRUE(png_image_write_to_memory(&image, nullptr, &bytes, 0, pixels, 0, colours));
  std::vector<std::byte> file(bytes);
  EXPECT_TRUE(png_image_write_to_memory(&image, file.data(), &bytes, 0, pixels, 0, colours));
  return file;
}

void AppendToVector(png_structp png, png_bytep data, std::size_t count) {
  auto& out = *static_cast<std::vector<std::byte>*>(png_get_io_ptr(png));
  const auto* bytes = reinterpret_cast<const std::byte*>(data);
  out.insert(out.end(), bytes, bytes + count);
}

/// The size that libpng reaches at its best level, with its own choice of filters.
std::size_t SizeByLibpngLevel9(const Plane& plane) {
  std::vector<std::byte> out;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_set_write_fn(png, &out, &AppendToVector, nullptr);
  png_set_compression_level(png, 9);
  const int colour = plane.type() == PixelType::kU8x3 ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_GRAY;
  png_set_IHDR(png, info, static_cast<png_uint_32>(plane.width()),
               static_cast<png_uint_32>(plane.height()), 8, colour, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  for (int y = 0; y < plane.height(); ++y) png_write_row(png, plane.Row<std::uint8_t>(y));
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  return out.size();
}

TEST(Png, GivesBackWhatWasWrittenAtAnySize) {
  for (const Size size : {Size{1, 1}, Size{1, 9}, Size{3, 2}, Size{257, 31}, Size{640, 360}}) {
    for (const Plane& plane : {NoisePlane(size, 3), Mask(size), TexturedPicture(size)}) {
      SCOPED_TRACE(Describe(plane));
      const auto file = EncodePng(plane);
      ASSERT_THAT(file, IsOk());
      const auto read = DecodePng(*file);
      ASSERT_THAT(read, IsOk());
      EXPECT_TRUE(SameBytes(*read, plane));
    }
  }
}

TEST(Png, WritesTheSmallestFileByteForByte) {
  Plane white = Plane::Host({1, 1}, PixelType::kU8);
  white.Row<std::uint8_t>(0)[0] = 255;
  const auto file = EncodePng(white);
  ASSERT_THAT(file, IsOk());
  const std::string_view start("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\0\0\0\0", 29);
  EXPECT_EQ(std::string_view(reinterpret_cast<const char*>(file->data()), 29), start);
  const std::string_view end("\0\0\0\0IEND\xae\x42\x60\x82", 12);
  EXPECT_EQ(std::string_view(reinterpret_cast<const char*>(file->data() + file->size() - 12), 12),
            end);
}

TEST(Png, IsReadByLibpngAsWritten) {
  const Plane plane = TexturedPicture({123, 45});
  const auto file = EncodePng(plane);
  ASSERT_THAT(file, IsOk());
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  ASSERT_TRUE(png_image_begin_read_from_memory(&image, file->data(), file->size()));
  EXPECT_EQ(image.format, PNG_FORMAT_RGB);
  Plane read = Plane::Host(plane.size(), PixelType::kU8x3);
  ASSERT_TRUE(png_image_finish_read(&image, nullptr, read.data(),
                                    static_cast<png_int_32>(read.stride()), nullptr));
  EXPECT_TRUE(SameBytes(read, plane));
}

TEST(Png, KeepsLabelsAndSaturatesThoseThatDoNotFit) {
  const Plane labels = Numbers({3, 2}, {0, 1, 65535, 65536, -7, 300});
  const auto file = EncodePng(labels);
  ASSERT_THAT(file, IsOk());
  const auto read = DecodeLabelPng(*file);
  ASSERT_THAT(read, IsOk());
  EXPECT_TRUE(SameBytes(*read, Numbers({3, 2}, {0, 1, 65535, 65535, 0, 300})));
}

TEST(Png, ReadsEightBitNumbersAsTheyAre) {
  const auto file = EncodePng(NoisePlane({5, 4}, 9));
  const auto read = DecodeLabelPng(*file);
  ASSERT_THAT(read, IsOk());
  EXPECT_EQ(read->Row<std::int32_t>(3)[4], NoisePlane({5, 4}, 9).Row<std::uint8_t>(3)[4]);
}

// Drawn pictures, whose three channels share their grain, are harder than frames of videos.
TEST(Png, IsAboutAsSmallAsLibpngsBestLevelEvenOnDrawings) {
  const Plane plane = TexturedPicture({640, 360});
  const auto file = EncodePng(plane);
  ASSERT_THAT(file, IsOk());
  EXPECT_LE(static_cast<double>(file->size()),
            1.12 * static_cast<double>(SizeByLibpngLevel9(plane)));
}

TEST(Png, StoresMasksAndLabelsInFewBytes) {
  const Plane mask = Mask({640, 360});
  const auto file = EncodePng(mask);
  ASSERT_THAT(file, IsOk());
  EXPECT_LE(file->size(), static_cast<std::size_t>(mask.size().area() / 100));
}

TEST(Png, ReadsAlphaPaletteAndSixteenBits) {
  const std::uint8_t rgba[] = {10, 20, 30, 255, 40, 50, 60, 255};
  auto read = DecodePng(WriteWithLibpng({2, 1}, PNG_FORMAT_RGBA, rgba));
  ASSERT_THAT(read, IsOk());
  ASSERT_EQ(read->type(), PixelType::kU8x3);
  EXPECT_EQ(read->Row<std::uint8_t>(0)[4], 50);

  const std::uint8_t grey_alpha[] = {77, 255, 99, 255};
  read = DecodePng(WriteWithLibpng({2, 1}, PNG_FORMAT_GA, grey_alpha));
  ASSERT_THAT(read, IsOk());
  ASSERT_EQ(read->type(), PixelType::kU8);
  EXPECT_EQ(read->Row<std::uint8_t>(0)[1], 99);

  const std::uint8_t colours[] = {1, 2, 3, 200, 100, 50};
  const std::uint8_t indices[] = {1, 0, 1};
  read = DecodePng(WriteWithLibpng({3, 1}, PNG_FORMAT_RGB_COLORMAP, indices, colours, 2));
  ASSERT_THAT(read, IsOk());
  ASSERT_EQ(read->type(), PixelType::kU8x3);
  EXPECT_EQ(read->Row<std::uint8_t>(0)[6], 200);

  const auto sixteen = EncodePng(Numbers({3, 1}, {0, 32768, 65535}));
  read = DecodePng(*sixteen);
  ASSERT_THAT(read, IsOk());
  ASSERT_EQ(read->type(), PixelType::kU8);
  EXPECT_EQ(read->Row<std::uint8_t>(0)[1], 128);
  EXPECT_EQ(read->Row<std::uint8_t>(0)[2], 255);
}

TEST(Png, RefusesEveryTruncation) {
  const auto file = EncodePng(TexturedPicture({40, 30}));
  ASSERT_THAT(file, IsOk());
  for (std::size_t bytes = 0; bytes < file->size(); bytes += 7) {
    const std::span<const std::byte> start(file->data(), bytes);
    EXPECT_THAT(DecodePng(start), FailsWith(Reason::kInputUnreadable, HasSubstr("PNG"))) << bytes;
    EXPECT_FALSE(DecodeLabelPng(start).ok()) << bytes;
  }
}

TEST(Png, RefusesADamagedByteInAnyCriticalChunk) {
  auto file = EncodePng(TexturedPicture({40, 30}));
  ASSERT_THAT(file, IsOk());
  for (std::size_t i = 0; i + 12 < file->size(); i += 11) {  // IEND is no loss
    (*file)[i] ^= std::byte{0x10};
    EXPECT_FALSE(DecodePng(*file).ok()) << "byte " << i;
    (*file)[i] ^= std::byte{0x10};
  }
}

TEST(Png, RefusesMorePixelsThanAllowedBeforeTakingMemory) {
  const auto file = EncodePng(NoisePlane({20, 10}, 1));
  EXPECT_THAT(DecodePng(*file, 200), IsOk());
  EXPECT_THAT(DecodePng(*file, 199), FailsWith(Reason::kLimitExceeded, HasSubstr("20x10")));
  EXPECT_THAT(DecodeLabelPng(*file, 199), FailsWith(Reason::kLimitExceeded, HasSubstr("20x10")));
}

TEST(Png, DoesNotTakeColourForNumbers) {
  const auto file = EncodePng(TexturedPicture({4, 4}));
  EXPECT_THAT(DecodeLabelPng(*file), FailsWith(Reason::kInputUnreadable, HasSubstr("grey")));
}

TEST(Png, RefusesPlanesThatItCannotWrite) {
  EXPECT_THAT(EncodePng(Plane()), FailsWith(Reason::kInternal, HasSubstr("empty")));
  EXPECT_THAT(EncodePng(Plane::Host({2, 2}, PixelType::kF32)),
              FailsWith(Reason::kInternal, HasSubstr("f32")));
}

}  // namespace
}  // namespace glint
