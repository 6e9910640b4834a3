// SPDX-License-Identifier: Apache-2.0
// The picture of the object with its layers.
#include <fmt/format.h>

#include <iterator>
#include <optional>
#include <string_view>

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
  return fmt::format(
      R"(<section class="card viewer-card" aria-label="Picture of the object">
<div class="tools" role="toolbar" aria-label="Picture">
<span class="group"><button type="button" id="layer-mask" aria-pressed="true">Damage</button>{copy_buttons}{plain_buttons}<button type="button" id="layer-heat" aria-pressed="false">Heat map</button><button type="button" id="layer-boxes" aria-pressed="false">Boxes</button></span>
<span class="legend" id="legend" hidden><span>0</span><i></i><span>1</span> score</span>
<span class="group"><button type="button" id="zoom-out" aria-label="Zoom out">−</button><button type="button" id="zoom-fit" aria-label="Show the whole object">Fit</button><button type="button" id="zoom-in" aria-label="Zoom in">+</button></span>
</div>
<div class="viewer" id="viewer" tabindex="0" role="group" data-width="{w}" data-height="{h}" style="--shape:{w}/{h}" aria-label="Picture of the object. Plus and minus zoom, 0 shows everything, arrow keys move.">
<div class="pane"><div class="stage"><img id="rectified" src="{rectified}" width="{w}" height="{h}" draggable="false" alt="The object, seen straight from above"></div></div>
{copy_pane}<div class="pane" id="layers"><div class="stage"><img id="heat" src="{heat}" width="{w}" height="{h}" draggable="false" alt="Heat map of the damage score" hidden>{plain_layers}<img id="mask" src="{mask}" width="{w}" height="{h}" draggable="false" alt="Mask of the damage">{copy_layer}<svg class="boxes" viewBox="0 0 {w} {h}" width="{w}" height="{h}" aria-hidden="true"><g id="boxes">{boxes}</g></svg></div></div>
<div class="pane marks"><div class="stage"><svg viewBox="0 0 {w} {h}" width="{w}" height="{h}" aria-hidden="true"><path id="shade" fill-rule="evenodd" hidden /><rect id="chosen" hidden /></svg></div></div>
<div class="split" id="split" role="slider" tabindex="0" aria-label="Compare: plain picture on the left, findings on the right" aria-valuemin="0" aria-valuemax="100" aria-valuenow="0"><i aria-hidden="true">⇆</i></div>
<span class="corner left" id="left-label" aria-hidden="true">As filmed</span><span class="corner right" aria-hidden="true">Findings</span>
</div>
{legend}<p class="hint keys">Drag or pinch to move and zoom, scroll to zoom. Keys: <kbd>+</kbd> <kbd>−</kbd> <kbd>0</kbd> and arrows, <kbd>Esc</kbd> to let go.</p>
<noscript><p class="hint">The picture needs scripts to zoom and to colour the damage; overlay.png shows it without.</p></noscript>
</section>
)",
      fmt::arg("w", size.width), fmt::arg("h", size.height),
      fmt::arg("rectified", pictures.rectified), fmt::arg("heat", pictures.heatmap),
      fmt::arg("mask", pictures.mask), fmt::arg("boxes", RegionBoxes(report)),
      fmt::arg("copy_buttons", copy.buttons), fmt::arg("copy_pane", copy.pane),
      fmt::arg("copy_layer", copy.layer), fmt::arg("plain_buttons", unknown.button + glare.button),
      fmt::arg("plain_layers", glare.picture + unknown.picture),
      fmt::arg("legend", Legend(copy, unknown, glare)));
}

}  // namespace glint
