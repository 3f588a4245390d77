// Draws means of ranges of the values, scaled to the largest mean.
#include "base/text/sparkline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

namespace fathom::base::text {
namespace {

constexpr std::array<std::string_view, 9> kBlocks = {"▁", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::string_view kAsciiLevels = "_.:-=+*#%";

}  // namespace

std::string sparkline(std::span<const double> values, std::size_t width, bool utf8) {
  if (values.empty() || width == 0) return "";
  const std::size_t cells = std::min(width, values.size());
  std::vector<double> means;
  for (std::size_t i = 0; i < cells; ++i) {
    const std::size_t begin = i * values.size() / cells, end = (i + 1) * values.size() / cells;
    double sum = 0;
    for (std::size_t j = begin; j < end; ++j) sum += values[j];
    means.push_back(sum / static_cast<double>(end - begin));
  }
  const double most = *std::max_element(means.begin(), means.end());
  std::string line;
  for (const double mean : means) {
    const auto level = most > 0 ? std::min<std::size_t>(static_cast<std::size_t>(std::lround(mean / most * 8)), 8) : 0;
    if (utf8)
      line += kBlocks[level];
    else
      line += kAsciiLevels[level];
  }
  return line;
}

}  // namespace fathom::base::text
