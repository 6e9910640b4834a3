// SPDX-License-Identifier: Apache-2.0
// The picture of the object with its layers.
#include <fmt/format.h>

#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include "report/assets.h"
#include "report/html_sections.h"
#include "report/html_text.h"

namespace glint {
namespace {

std::string RegionBoxes(const ScanReport& report) {
  std::string out;
  for (const DefectRegion& region : report.regions) {
    fmt::format_to(std::back_inserter(out),
                   R"(<rect data-region="{}" x="{}" y="{}" width="{}" height="{}"/>)", region.id,
                   region.box.x, region.box.y, region.box.width, region.box.height);
  }
  return out;
}

/// What the page has only where the scan was compared with a good copy.
struct CopyParts {
  std::string buttons, pane, layer, legend;
};

CopyParts CopyPartsOf(const EmbeddedPictures& pictures, Size size) {
  if (pictures.good_copy.empty()) return {};
  return {
      .buttons =
          R"(<button type="button" id="layer-colour" aria-pressed="true">Colour</button><button type="button" id="layer-copy" aria-pressed="false">Good copy</button>)",
      .pane = fmt::format(
          R"(<div class="pane" id="copy" hidden><div class="stage"><img src="{}" width="{}" height="{}" draggable="false" alt="The good copy, laid onto the object"></div></div>
)",
          pictures.good_copy, size.width, size.height),
      .layer = fmt::format(
          R"(<img id="colour" src="{}" width="{}" height="{}" draggable="false" alt="Mask of the changes of colour">)",
          pictures.colour, size.width, size.height),
      .legend =
          R"(<li><i class="swatch colour"></i><b>Colour</b>: differs from the good copy</li>)"};
}

/// A layer that is no damage: a button that shows it and its line of the legend. Nothing without a
/// picture of it.
struct PlainLayer {
  std::string button, picture, legend;
};

PlainLayer MakePlainLayer(std::string_view name, std::string_view title, bool shown,
                          std::string_view what, const std::string& url, Size size) {
  if (url.empty()) return {};
  return {
      .button = fmt::format(R"(<button type="button" id="layer-{}" aria-pressed="{}">{}</button>)",
                            name, shown, title),
      .picture = fmt::format(
          R"(<img id="{}" src="{}" width="{}" height="{}" draggable="false" alt="{}" hidden>)",
          name, url, size.width, size.height, title),
      .legend =
          fmt::format(R"(<li><i class="swatch {}"></i><b>{}</b>: {}</li>)", name, title, what)};
}

PlainLayer GlareLayer(const ScanReport& report, const EmbeddedPictures& pictures) {
  const std::string what = fmt::format("light, not damage; it passed over {} of the object",
                                       PercentText(report.glare_percent));
  return MakePlainLayer(kGlareLayer, "Glare", false, what, pictures.glare, report.object->size);
}

PlainLayer UnknownLayer(const ScanReport& report, const EmbeddedPictures& pictures) {
  const std::string what =
      fmt::format("{} of the object could not be seen well enough to be judged, and does not count",
                  PercentText(report.unknown_percent));
  return MakePlainLayer(kUnknownLayer, "Unknown", true, what, pictures.unknown,
                        report.object->size);
}

/// What the colours mean; nothing where damage is all there is.
std::string Legend(const CopyParts& copy, const PlainLayer& unknown, const PlainLayer& glare) {
  const std::string others = copy.legend + unknown.legend + glare.legend;
  if (others.empty()) return "";
  return R"(<ul class="key"><li><i class="swatch damage"></i><b>Damage</b></li>)" + others +
         "</ul>\n";
}

}  // namespace

std::string PictureCard(const ScanReport& report, const EmbeddedPictures& pictures) {
  const Size size = report.object->size;
  const CopyParts copy = CopyPartsOf(pictures, size);
  const PlainLayer unknown = UnknownLayer(report, pictures);
  const PlainLayer glare = GlareLayer(report, pictures);
  return FillTemplate(kViewerTemplate, {{"w", std::to_string(size.width)},
                                        {"h", std::to_string(size.height)},
                                        {"rectified", pictures.rectified},
                                        {"heat", pictures.heatmap},
                                        {"mask", pictures.mask},
                                        {"boxes", RegionBoxes(report)},
                                        {"copy_buttons", copy.buttons},
                                        {"copy_pane", copy.pane},
                                        {"copy_layer", copy.layer},
                                        {"plain_buttons", unknown.button + glare.button},
                                        {"plain_layers", glare.picture + unknown.picture},
                                        {"legend", Legend(copy, unknown, glare)}});
}

}  // namespace glint
