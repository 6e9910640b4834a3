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

std::string BoxOf(int id, const Rectangle& box) {
  return fmt::format(R"(<rect data-number="{}" x="{}" y="{}" width="{}" height="{}"/>)", id, box.x,
                     box.y, box.width, box.height);
}

/// Around defects, or else around regions.
std::string Boxes(const ScanReport& report, const std::optional<Assessment>& assessment) {
  std::string out;
  if (assessment && assessment->judges) {
    for (const Defect& defect : assessment->defects) out += BoxOf(defect.id, defect.box);
  } else {
    for (const DefectRegion& region : report.regions) out += BoxOf(region.id, region.box);
  }
  return out;
}

/// The inner edges of the border, from which centering was measured, and a button that shows them.
struct CenteringLines {
  std::string button, lines, legend;
};

CenteringLines LinesOf(const std::optional<Assessment>& assessment, Size size) {
  if (!assessment || !assessment->centering) return {};
  const Centering& border = *assessment->centering;
  const double right = size.width - border.right_px, bottom = size.height - border.bottom_px;
  return {
      .button =
          R"(<button type="button" id="layer-centering" aria-pressed="true">Centering</button>)",
      .lines = fmt::format(
          R"(<svg id="centering" viewBox="0 0 {0} {1}" width="{0}" height="{1}" aria-hidden="true"><path d="M{2:.1f} 0V{1}M{3:.1f} 0V{1}M0 {4:.1f}H{0}M0 {5:.1f}H{0}"/></svg>)",
          size.width, size.height, border.left_px, right, border.top_px, bottom),
      .legend = fmt::format(
          R"(<li><i class="swatch centering"></i><b>Centering</b>: border {:.0f} and {:.0f} px wide left and right, {:.0f} and {:.0f} above and below</li>)",
          border.left_px, border.right_px, border.top_px, border.bottom_px)};
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
          R"(<img id="{}" src="{}" width="{}" height="{}" draggable="false" alt="{}"{}>)", name,
          url, size.width, size.height, title, shown ? "" : " hidden"),
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
std::string Legend(const std::string& others) {
  if (others.empty()) return "";
  return R"(<ul class="key"><li><i class="swatch damage"></i><b>Damage</b></li>)" + others +
         "</ul>\n";
}

}  // namespace

std::string PictureCard(const ScanReport& report, const std::optional<Assessment>& assessment,
                        const EmbeddedPictures& pictures) {
  const Size size = report.object->size;
  const CopyParts copy = CopyPartsOf(pictures, size);
  const PlainLayer unknown = UnknownLayer(report, pictures);
  const PlainLayer glare = GlareLayer(report, pictures);
  const CenteringLines centering = LinesOf(assessment, size);
  return FillTemplate(
      kViewerTemplate,
      {{"w", std::to_string(size.width)},
       {"h", std::to_string(size.height)},
       {"rectified", pictures.rectified},
       {"shown", pictures.median ? "All frames together" : "As filmed"},
       {"heat", pictures.heatmap},
       {"mask", pictures.mask},
       {"boxes", Boxes(report, assessment)},
       {"copy_buttons", copy.buttons},
       {"copy_pane", copy.pane},
       {"copy_layer", copy.layer},
       {"plain_buttons", unknown.button + glare.button + centering.button},
       {"plain_layers", glare.picture + unknown.picture},
       {"centering", centering.lines},
       {"legend", Legend(copy.legend + unknown.legend + glare.legend + centering.legend)}});
}

}  // namespace glint
