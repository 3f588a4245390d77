// Histograms and series drawn with characters. A column is 1/16 or less of an octave of latency, so that the two peaks
// (hits, faults) of a paging run and its tail are next to each other as in the paper's figures. Pure.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/unit_text.h"
#include "stats/histogram.h"

namespace fathom::report::paging {

struct ChartStyle {
  bool utf8 = true;        // eighth blocks; otherwise '.', ':' and '#'
  bool log_counts = true;  // the vertical axis
  std::size_t width = 80;  // of a line
  std::size_t height = 8;  // rows of the bars
};

// Latencies from the lowest to the highest octave of all given histograms: charts with the same axis compare by eye.
struct LatencyAxis {
  unsigned first_octave = 0, octaves = 0;  // 0: nothing to draw
  unsigned columns_an_octave = 1;          // a power of 2
  std::size_t columns() const { return std::size_t{octaves} * columns_an_octave; }
  std::size_t column_of(std::uint64_t ns) const;  // of a value within the axis
};
LatencyAxis axis_for(std::span<const stats::Histogram* const> histograms, std::size_t width);

// Title, bars with a count label on each row, axis with a mark at each power of ten. Empty without samples.
std::string draw_histogram(std::string_view title, const stats::Histogram& histogram, const LatencyAxis& axis,
                           const ChartStyle& style);

// Two histograms in one chart, each in shares of its samples; a letter where one has more, a block where both have
// some.
std::string draw_overlaid(std::string_view title, const stats::Histogram& a, const stats::Histogram& b,
                          const LatencyAxis& axis, const ChartStyle& style, char letter_b = 'B');
// For each latency: the share of B's samples at or below it, minus that of A's, in points: above the line B is faster.
// Rows without a bar are omitted.
std::string draw_difference(std::string_view title, const stats::Histogram& a, const stats::Histogram& b,
                            const LatencyAxis& axis, const ChartStyle& style);

// Values over time: the smallest, the median and the largest, with a sparkline. A line of only zeros is omitted.
struct SeriesLine {
  std::string_view name;  // 14 characters
  std::vector<double> values;
  std::span<const base::text::UnitStep> scale;
};
inline constexpr std::size_t kSeriesNarrowest = 60;  // columns, 200 at most
std::string series_head(std::string_view title);     // above the lines
std::string draw_series(const SeriesLine& line, std::size_t width, bool utf8);

}  // namespace fathom::report::paging
