// Letters are compared without case, because users write tx_pcie for Tx_PCIe.
#include "base/nearest.h"

#include <algorithm>
#include <vector>

#include "base/text/parse.h"

namespace fathom::base {
namespace {

std::size_t common_start(std::string_view a, std::string_view b) {
  const auto ends =
      std::mismatch(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(std::min(a.size(), b.size())), b.begin());
  return static_cast<std::size_t>(ends.first - a.begin());
}

unsigned most_edits(std::size_t letters) {
  return letters < 4 ? 1 : static_cast<unsigned>(std::max<std::size_t>(2, letters / 3));
}

std::vector<std::string_view> views(std::span<const std::string> names) { return {names.begin(), names.end()}; }

}  // namespace

std::string nearest_name(std::string_view written, std::span<const std::string_view> known) {
  constexpr std::size_t kLongest = 80;
  const std::string lower = text::to_lower(written.substr(0, kLongest));
  std::string_view best;
  unsigned best_distance = most_edits(lower.size());
  std::size_t best_start = 0;
  for (const auto name : known) {
    const std::string candidate = text::to_lower(name);
    const unsigned distance = text::edit_distance(lower, candidate);
    const std::size_t start = common_start(lower, candidate);
    if (distance > best_distance || (distance == best_distance && start <= best_start)) continue;
    best = name;
    best_distance = distance;
    best_start = start;
  }
  return std::string(best);
}

std::string nearest_name(std::string_view written, std::span<const std::string> known) {
  return nearest_name(written, views(known));
}

std::string did_you_mean(std::string_view written, std::span<const std::string_view> known, std::string_view otherwise,
                         std::string_view before) {
  const std::string name = nearest_name(written, known);
  if (name.empty()) return std::string(otherwise);
  return "did you mean `" + std::string(before) + name + "`?";
}

std::string did_you_mean(std::string_view written, std::span<const std::string> known, std::string_view otherwise) {
  return did_you_mean(written, views(known), otherwise);
}

}  // namespace fathom::base
