// A manual without text has no section: its command is only named.
#include "options/manual_sets.h"

#include <fmt/format.h>

namespace fathom::options {

std::string scdoc_sections(std::span<const Manual> manuals, std::string_view program, std::string_view words) {
  std::string out;
  const auto full = fmt::format("{} {}", program, words);
  const Manual* own = nullptr;
  for (const auto& manual : manuals) {
    if (manual.about.empty()) continue;
    if (manual.command == full) {
      own = &manual;
      out += scdoc_options(manual) + "\n";
    } else if (manual.command == words) {
      out += scdoc_section(manual);
    } else if (manual.command.starts_with(full + " ")) {
      const bool same = own != nullptr && manual.groups.data() == own->groups.data();  // `paging` is `paging run`
      if (!same) out += scdoc_section(manual);
    }
  }
  return out;
}

std::string example_words(std::span<const Manual> manuals) {
  std::string words;
  for (const auto& manual : manuals)
    for (const auto& group : manual.groups)
      for (const auto& row : group.rows)
        for (const auto& choice : row.examples ? row.choices : std::span<const Choice>())
          words += fmt::format("\"{}\"\n", choice.name);
  return words;
}

}  // namespace fathom::options
