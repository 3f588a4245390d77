// Letters are compared without case: people write tx_pcie for Tx_PCIe.
#include "base/nearest.h"

#include <algorithm>

#include "base/parse.h"

namespace fathom::base {
namespace {

std::size_t common_start(std::string_view a, std::string_view b) {
  const auto ends =
      std::mismatch(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(std::min(a.size(), b.size())), b.begin());
  return static_cast<std::size_t>(ends.first - a.begin());
}

}  // namespace

std::string nearest_name(std::string_view written, std::span<const std::string> known) {
  constexpr std::size_t kLongest = 80;
  const std::string lower = to_lower(written.substr(0, kLongest));
  std::string best;
  unsigned best_distance = static_cast<unsigned>(std::max<std::size_t>(2, lower.size() / 3));
  std::size_t best_start = 0;
  for (const auto& name : known) {
    const std::string candidate = to_lower(name);
    const unsigned distance = edit_distance(lower, candidate);
    const std::size_t start = common_start(lower, candidate);
    if (distance > best_distance || (distance == best_distance && start <= best_start)) continue;
    best = name;
    best_distance = distance;
    best_start = start;
  }
  return best;
}

std::string did_you_mean(std::string_view written, std::span<const std::string> known, std::string_view otherwise) {
  const std::string name = nearest_name(written, known);
  return name.empty() ? std::string(otherwise) : "did you mean `" + name + "`?";
}

}  // namespace fathom::base
