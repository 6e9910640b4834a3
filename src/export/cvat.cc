// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cstddef>

#include "assess/trade_names.h"
#include "base/utf8.h"
#include "export/export.h"
#include "export/outlines.h"
#include "export/run_lengths.h"
#include "report/html_text.h"

namespace glint {
namespace {

/// Text as XML 1.0 takes it; characters that it has no way to write become U+FFFD.
std::string EscapeXml(std::string_view text) {
  std::string escaped;
  for (const char c : EscapeHtml(ValidUtf8(text))) {
    if (static_cast<unsigned char>(c) < ' ') {
      escaped += "\xEF\xBF\xBD";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

struct Attribute {
  std::string_view name;
  std::string_view input_type;  ///< of the tool's form
  std::string_view values;
  std::string_view default_value;
};

constexpr std::string_view kText = "text";
constexpr std::array kAttributes = {
    Attribute{"severity", "select", "unknown\nlight\nmoderate\nheavy", "unknown"},
    Attribute{"part", kText, "", ""}, Attribute{"breaks_colour", "checkbox", "false", "false"},
    Attribute{"length_mm", kText, "", ""}};

/// What kAttributes asks for, in their order.
std::string AttributesOf(const Annotation& annotation) {
  if (!annotation.defect) return "";
  const Defect& defect = *annotation.defect;
  const std::array<std::string, kAttributes.size()> values = {
      std::string(Name(defect.severity)), defect.part, defect.breaks_colour ? "true" : "false",
      defect.length_mm ? fmt::format("{:.3f}", *defect.length_mm) : ""};
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i) {
    text += fmt::format("      <attribute name=\"{}\">{}</attribute>\n", kAttributes[i].name,
                        EscapeXml(values[i]));
  }
  return text;
}

/// One label of the task, as its form has it.
std::string LabelXml(std::string_view category) {
  std::string text = fmt::format(
      "        <label>\n          <name>{}</name>\n"
      "          <attributes>\n",
      category);
  for (const Attribute& attribute : kAttributes) {
    text += fmt::format(
        "            <attribute>\n              <name>{}</name>\n"
        "              <mutable>False</mutable>\n              <input_type>{}</input_type>\n"
        "              <default_value>{}</default_value>\n              <values>{}</values>\n"
        "            </attribute>\n",
        attribute.name, attribute.input_type, attribute.default_value, attribute.values);
  }
  return text + "          </attributes>\n        </label>\n";
}

std::string MaskXml(const Annotation& annotation) {
  const Rectangle& box = annotation.box;
  return fmt::format(
      "    <mask label=\"{}\" source=\"auto\" occluded=\"0\" rle=\"{}\" left=\"{}\" top=\"{}\" "
      "width=\"{}\" height=\"{}\" z_order=\"0\">\n{}    </mask>\n",
      annotation.category, fmt::join(RowRuns(annotation), ", "), box.x, box.y, box.width,
      box.height, AttributesOf(annotation));
}

/// One polygon for each piece; those of one defect are a group.
std::string PolygonsXml(const Annotation& annotation, std::size_t group) {
  std::string text;
  const std::vector<Polygon> polygons = Outlines(annotation);
  for (const Polygon& polygon : polygons) {
    std::string points;
    for (const PixelCorner& corner : polygon) {
      points += fmt::format("{}{}.00,{}.00", points.empty() ? "" : ";", corner.x, corner.y);
    }
    text += fmt::format(
        "    <polygon label=\"{}\" source=\"auto\" occluded=\"0\" points=\"{}\" z_order=\"0\"{}>\n"
        "{}    </polygon>\n",
        annotation.category, points,
        polygons.size() > 1 ? fmt::format(" group_id=\"{}\"", group) : "",
        AttributesOf(annotation));
  }
  return text;
}

}  // namespace

std::string ToCvat(std::span<const AnnotatedPicture> pictures, Shapes shapes) {
  std::string text = fmt::format(
      "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<annotations>\n  <version>1.1</version>\n"
      "  <meta>\n    <task>\n      <name>glint</name>\n      <size>{}</size>\n"
      "      <mode>annotation</mode>\n      <overlap>0</overlap>\n      <labels>\n",
      pictures.size());
  for (const std::string_view category : Categories()) text += LabelXml(category);
  text += "      </labels>\n    </task>\n  </meta>\n";
  std::size_t group = 0;
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    const AnnotatedPicture& picture = pictures[i];
    text += fmt::format("  <image id=\"{}\" name=\"{}\" width=\"{}\" height=\"{}\">\n", i,
                        EscapeXml(picture.file), picture.size.width, picture.size.height);
    for (const Annotation& annotation : picture.annotations) {
      text += shapes == Shapes::kMask ? MaskXml(annotation) : PolygonsXml(annotation, ++group);
    }
    text += "  </image>\n";
  }
  return text + "</annotations>\n";
}

}  // namespace glint
