// SPDX-License-Identifier: Apache-2.0
#include "report/filming.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>

#include "report/html_text.h"

namespace glint {
namespace {

constexpr std::array kRules = {
    FilmingRule{
        "Let the light move.",
        "Creases and scratches only show while light glances off them, and ink does not. Use "
        "one small lamp or a window, not an overcast sky, and while you film move the lamp "
        "slowly from one side to the other, low over the surface; or tilt the object under "
        "it. What never changes its light cannot be judged."},
    FilmingRule{"Show all of it.",
                "All four corners stay in the picture, and the object fills most of it: step back "
                "when a corner is cut off, come closer when there is more table than object."},
    FilmingRule{"Lay it on something plain.",
                "One object alone, flat, on a surface of another colour without a pattern. Fingers "
                "stay off it: what they hide cannot be judged."},
    FilmingRule{"Move slowly, and pause.",
                "Hold the phone with both hands, move so slowly that the print stays readable, and "
                "stop for a second at four or five places. Tap on the object first, so that the "
                "phone keeps it in focus."},
    FilmingRule{"Film for ten to twenty seconds.",
                "The more frames show the surface in another light, the surer every crease is. "
                "Full HD is enough; 4K shows finer scratches."},
    FilmingRule{"Let glare wander.",
                "A highlight that passes over the surface is welcome; one that stays on the same "
                "place hides it. Take the object out of its sleeve, and dim the lamp when large "
                "parts are white."}};

}  // namespace

std::span<const FilmingRule> FilmingRules() { return kRules; }

std::string FilmingText() {
  std::string text = "How to film so that damage shows\n";
  for (std::size_t i = 0; i < kRules.size(); ++i) {
    text += fmt::format("\n{}. {}\n", i + 1, kRules[i].title);
    std::size_t column = 0;
    for (std::string_view rest = kRules[i].text; !rest.empty();) {
      const std::string_view word = rest.substr(0, rest.find(' '));
      constexpr std::size_t kWidth = 76;
      const bool wraps = column > 0 && column + 1 + word.size() > kWidth;
      text += wraps || column == 0 ? (wraps ? "\n   " : "   ") : " ";
      text += word;
      column = wraps ? word.size() : column + (column > 0 ? 1 : 0) + word.size();
      rest.remove_prefix(word.size() < rest.size() ? word.size() + 1 : word.size());
    }
    text += '\n';
  }
  return text;
}

std::string FilmingSection() {
  std::string items;
  for (const FilmingRule& rule : kRules) {
    items += fmt::format("<li><strong>{}</strong> {}</li>", EscapeHtml(rule.title),
                         EscapeHtml(rule.text));
  }
  return fmt::format(
      "<details class=\"notice filming\"><summary>How to film so that damage shows</summary>"
      "<ol id=\"filming\">{}</ol></details>\n",
      items);
}

}  // namespace glint
