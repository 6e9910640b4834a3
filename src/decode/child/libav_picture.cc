// SPDX-License-Identifier: Apache-2.0
#include "decode/child/libav_picture.h"

#include <cstring>

namespace glint {
namespace {

ColorMatrix MatrixOf(const AVFrame& frame) {
  switch (static_cast<int>(frame.colorspace)) {  // some decoders pass on any number of the video's
    case AVCOL_SPC_BT709:
      return ColorMatrix::kBt709;
    case AVCOL_SPC_BT470BG:
    case AVCOL_SPC_SMPTE170M:
      return ColorMatrix::kBt601;
    case AVCOL_SPC_BT2020_NCL:
    case AVCOL_SPC_BT2020_CL:
      return ColorMatrix::kBt2020;
    case AVCOL_SPC_SMPTE240M:
      return ColorMatrix::kSmpte240m;
    case AVCOL_SPC_FCC:
      return ColorMatrix::kFcc;
    default:
      return ColorMatrix::kUnspecified;
  }
}

/// Where the frame declares its chroma samples; otherwise as MPEG-2 has them.
ChromaSite ChromaSiteOf(const AVFrame& frame) {
  switch (static_cast<int>(frame.chroma_location)) {
    case AVCHROMA_LOC_CENTER:
      return ChromaSite::kCenter;
    case AVCHROMA_LOC_TOPLEFT:
      return ChromaSite::kTopLeft;
    case AVCHROMA_LOC_TOP:
      return ChromaSite::kTop;
    default:
      return ChromaSite::kLeft;
  }
}

}  // namespace

std::optional<PixelLayout> LayoutOf(AVPixelFormat format) {
  const AVPixFmtDescriptor* about = av_pix_fmt_desc_get(format);
  if (about == nullptr || !IsReadablePixelFormat(about->name)) return std::nullopt;
  PixelLayout layout{.components = {},
                     .depth = about->comp[0].depth,
                     .gray = about->nb_components < 3,
                     .chroma_shift_x = about->log2_chroma_w,
                     .chroma_shift_y = about->log2_chroma_h};
  for (int i = 0; i < layout.count(); ++i) {
    const AVComponentDescriptor& c = about->comp[i];
    layout.components[static_cast<std::size_t>(i)] = {c.plane, c.step, c.offset, c.shift};
  }
  return layout;
}

PlanarPicture PictureOf(const std::shared_ptr<const AVFrame>& frame, bool full_range) {
  PlanarPicture picture{.size = SizeOf(*frame),
                        .layout = *LayoutOf(static_cast<AVPixelFormat>(frame->format)),
                        .matrix = MatrixOf(*frame),
                        .chroma_site = ChromaSiteOf(*frame),
                        .full_range = full_range,
                        .memory = frame};
  for (std::size_t i = 0; i < picture.data.size(); ++i) {
    picture.data[i] = frame->data[i];
    picture.stride[i] = frame->linesize[i];
  }
  return picture;
}

DisplayMatrix DisplayMatrixOf(const AVStream& stream) {
  const std::uint8_t* data = nullptr;
  std::size_t bytes = 0;
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(60, 31, 102)
  const AVPacketSideData* side =
      av_packet_side_data_get(stream.codecpar->coded_side_data, stream.codecpar->nb_coded_side_data,
                              AV_PKT_DATA_DISPLAYMATRIX);
  if (side != nullptr) {
    data = side->data;
    bytes = side->size;
  }
#else
  data = av_stream_get_side_data(&stream, AV_PKT_DATA_DISPLAYMATRIX, &bytes);
#endif
  std::int32_t matrix[9];
  if (data == nullptr || bytes < sizeof matrix) return {};
  std::memcpy(matrix, data, sizeof matrix);
  return ReadDisplayMatrix(matrix);
}

}  // namespace glint
