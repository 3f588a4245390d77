// Bars are measured in eighths of a row. A column with a sample shows at least one eighth: a single access of 10 ms
// must be visible next to a million of 500 ns.
#include "report/paging/paging_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "base/text/sparkline.h"
#include "base/text/unit_text.h"
#include "report/paging/paging_view.h"

namespace fathom::report::paging {
namespace {

constexpr std::size_t kLabel = 8;  // count and axis, before the bars
constexpr std::array<std::string_view, 9> kBlocks = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::array<std::string_view, 9> kAscii = {" ", ".", ".", ".", ":", ":", ":", "#", "#"};

unsigned octave_of(std::uint64_t ns) { return 63u ^ static_cast<unsigned>(std::countl_zero(ns | 1)); }

std::vector<std::uint64_t> column_counts(const stats::Histogram& histogram, const LatencyAxis& axis) {
  std::vector<std::uint64_t> counts(axis.columns());
  for (const auto& bin : histogram.bins()) counts[axis.column_of(stats::bucket_begin(bin.bucket))] += bin.count;
  return counts;
}

// Heights in eighths of a row.
std::vector<std::size_t> heights(const std::vector<std::uint64_t>& counts, const ChartStyle& style) {
  const auto most = static_cast<double>(*std::max_element(counts.begin(), counts.end()));
  std::vector<std::size_t> result;
  for (const auto count : counts) {
    const auto value = static_cast<double>(count);
    const double share = style.log_counts ? std::log1p(value) / std::log1p(most) : value / most;
    const auto eighths = static_cast<std::size_t>(std::lround(share * 8 * static_cast<double>(style.height)));
    result.push_back(count == 0 ? 0 : std::max<std::size_t>(1, eighths));
  }
  return result;
}

// The count of a bar that ends at the upper edge of a row.
double count_at(std::size_t row, double most, const ChartStyle& style) {
  const double share = static_cast<double>(row) / static_cast<double>(style.height);
  return style.log_counts ? std::expm1(share * std::log1p(most)) : share * most;
}

// A label begins below its mark. If it would exceed the line, it begins further left.
std::string axis_lines(const LatencyAxis& axis, const ChartStyle& style) {
  const bool utf8 = style.utf8;
  std::vector<bool> marked(axis.columns(), false);
  std::string labels(std::min(kLabel + axis.columns() + 8, std::max(style.width, kLabel + axis.columns())), ' ');
  std::size_t free_from = 0;
  const double low = std::ldexp(1.0, static_cast<int>(axis.first_octave));
  const double high = std::ldexp(1.0, static_cast<int>(axis.first_octave + axis.octaves));
  for (double ns = 1; ns < high && ns < 1e19; ns *= 10) {
    if (ns < low) continue;
    const auto column = axis.column_of(static_cast<std::uint64_t>(ns));
    marked[column] = true;
    const auto label = base::text::unit_text(ns, base::text::kTimeAxis);
    const auto begin = std::min(kLabel + column, labels.size() - std::min(labels.size(), label.size()));
    if (begin < free_from) continue;
    labels.replace(begin, label.size(), label);
    free_from = begin + label.size() + 1;
  }
  std::string line(kLabel - 1, ' ');
  line += utf8 ? "└" : "+";
  for (const bool mark : marked) line += utf8 ? (mark ? "┬" : "─") : (mark ? "+" : "-");
  labels.erase(labels.find_last_not_of(' ') + 1);
  return line + "\n" + labels + "\n";
}

}  // namespace

std::size_t LatencyAxis::column_of(std::uint64_t ns) const {
  const unsigned octave = octave_of(ns);
  const auto bits = static_cast<unsigned>(std::countr_zero(columns_an_octave));
  const std::uint64_t within = ns - (ns == 0 ? 0 : std::uint64_t{1} << octave);
  const std::uint64_t sub = octave >= bits ? within >> (octave - bits) : within << (bits - octave);
  return std::size_t{octave - first_octave} * columns_an_octave + sub;
}

LatencyAxis axis_for(std::span<const stats::Histogram* const> histograms, std::size_t width) {
  unsigned low = 64, high = 0;
  for (const auto* histogram : histograms) {
    if (histogram->empty()) continue;
    low = std::min(low, octave_of(stats::bucket_begin(histogram->bins().front().bucket)));
    high = std::max(high, octave_of(stats::bucket_begin(histogram->bins().back().bucket)));
  }
  if (low > high) return {};
  LatencyAxis axis{low, high - low + 1, 64};
  while (axis.columns_an_octave > 1 && axis.columns() + kLabel > width) axis.columns_an_octave /= 2;
  return axis;
}

std::string draw_histogram(std::string_view title, const stats::Histogram& histogram, const LatencyAxis& axis,
                           const ChartStyle& style) {
  if (histogram.empty() || axis.octaves == 0) return "";
  const auto counts = column_counts(histogram, axis);
  const auto tall = heights(counts, style);
  const auto most = static_cast<double>(*std::max_element(counts.begin(), counts.end()));
  const auto& cells = style.utf8 ? kBlocks : kAscii;
  std::string out = fmt::format("{}\n", title);
  for (std::size_t row = style.height; row > 0; --row) {
    std::string line = fmt::format("{:>7}", short_count(count_at(row, most, style)));
    line += style.utf8 ? "┤" : "|";
    for (const auto height : tall) {
      const std::size_t below = 8 * (row - 1);
      line += cells[height <= below ? 0 : std::min<std::size_t>(8, height - below)];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out + axis_lines(axis, style);
}

namespace {

// Shares in parts per million, so that one sample in a million is visible on a logarithmic axis.
std::vector<double> parts_per_million(const stats::Histogram& histogram, const LatencyAxis& axis) {
  std::vector<double> parts;
  for (const auto count : column_counts(histogram, axis))
    parts.push_back(1e6 * static_cast<double>(count) / static_cast<double>(histogram.total()));
  return parts;
}

std::size_t rows_of(double part, double most, const ChartStyle& style) {
  if (part <= 0) return 0;
  const double share = style.log_counts ? std::log1p(part) / std::log1p(most) : part / most;
  return std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(share * static_cast<double>(style.height))));
}

std::string labelled(const std::string& label, const std::string& line, bool utf8) {
  std::string out = fmt::format("{:>7}{}{}", label, utf8 ? "┤" : "|", line);
  out.erase(out.find_last_not_of(' ') + 1);
  return out + "\n";
}

}  // namespace

std::string draw_overlaid(std::string_view title, const stats::Histogram& a, const stats::Histogram& b,
                          const LatencyAxis& axis, const ChartStyle& style, char letter_b) {
  if (a.empty() || b.empty() || axis.octaves == 0) return "";
  const auto of_a = parts_per_million(a, axis), of_b = parts_per_million(b, axis);
  const double most =
      std::max(*std::max_element(of_a.begin(), of_a.end()), *std::max_element(of_b.begin(), of_b.end()));
  std::string out = fmt::format("{}\n", title);
  for (std::size_t row = style.height; row > 0; --row) {
    std::string line;
    for (std::size_t column = 0; column < axis.columns(); ++column) {
      const bool has_a = rows_of(of_a[column], most, style) >= row, has_b = rows_of(of_b[column], most, style) >= row;
      line += has_a && has_b ? (style.utf8 ? "█" : "#") : has_a ? "A" : has_b ? std::string(1, letter_b) : " ";
    }
    const double percent = count_at(row, most, style) / 1e4;
    const std::string label = percent < 0.001 ? "<.001%" : fmt::format("{:.{}g}%", percent, percent < 10 ? 2 : 3);
    out += labelled(label, line, style.utf8);
  }
  return out + axis_lines(axis, style);
}

std::string draw_difference(std::string_view title, const stats::Histogram& a, const stats::Histogram& b,
                            const LatencyAxis& axis, const ChartStyle& style) {
  if (a.empty() || b.empty() || axis.octaves == 0) return "";
  const auto of_a = parts_per_million(a, axis), of_b = parts_per_million(b, axis);
  std::vector<double> points;
  double running = 0, highest = 0, lowest = 0;
  for (std::size_t column = 0; column < axis.columns(); ++column) {
    running += (of_b[column] - of_a[column]) / 1e4;
    points.push_back(running);
    highest = std::max(highest, running), lowest = std::min(lowest, running);
  }
  std::string out = fmt::format("{}\n", title);
  constexpr double kNothing = 0.005;  // percentage points
  const double most = std::max(highest, -lowest);
  if (most < kNothing) return out + "        the curves do not differ\n";
  const int rows = std::max(1, static_cast<int>(style.height) / 2);
  const auto tall_of = [&](double point) { return static_cast<int>(std::lround(point / most * rows)); };
  const int top = tall_of(highest), bottom = tall_of(lowest);
  for (int row = top; row >= bottom; --row) {
    std::string line;
    for (const double point : points) {
      const int tall = tall_of(point);
      const bool filled = row != 0 && (row > 0 ? tall >= row : tall <= row);
      line += filled ? (style.utf8 ? "█" : "#") : row == 0 ? (style.utf8 ? "─" : "-") : " ";
    }
    const bool shown = row == 0 || row == top || row == bottom;
    out += labelled(shown ? fmt::format("{:+.{}f}", most * row / rows, most < 10 ? 2 : 0) : "", line, style.utf8);
  }
  return out + axis_lines(axis, style);
}

std::string series_head(std::string_view title) {
  return fmt::format("  {:<14}{:>8}{:>9}{:>9}\n", title, "min", "median", "max");
}

std::string draw_series(const SeriesLine& line, std::size_t width, bool utf8) {
  auto sorted = line.values;
  std::sort(sorted.begin(), sorted.end());
  if (sorted.empty() || sorted.back() == 0) return "";
  constexpr std::size_t kBefore = 43, kWidest = 200;
  const auto text = [&](double value) { return base::text::unit_text(value, line.scale); };
  return fmt::format("  {:<14}{:>8}{:>9}{:>9} {}\n", line.name, text(sorted.front()), text(sorted[sorted.size() / 2]),
                     text(sorted.back()),
                     base::text::sparkline(line.values, std::clamp(width, kSeriesNarrowest, kWidest) - kBefore, utf8));
}

}  // namespace fathom::report::paging
