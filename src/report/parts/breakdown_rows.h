// The rows of a breakdown: latencies of single I/Os, sums in addition to the parts, bands of latency, and probe
// overhead. Every piece ends with a newline or is empty.
#pragma once
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "result/breakdown.h"
#include "result/sums/cost_words.h"

namespace fathom::report::parts {

inline std::string us(double ns) { return fmt::format("{:.2f}", ns / 1e3); }

// Values of a row in addition to its latency. untold: unattributed share of the time; any of it may belong to this
// part.
struct RowFacts {
  double share = 0, half_width = -1, untold = 0;
};

std::string part_row(std::string_view name, const result::PartLatency& part, const RowFacts& facts);
// Share of the whole time; in slices, of the time of all I/Os, as far as that is known.
double share_of(const result::BreakdownClass& c, std::size_t part);
// No I/O spent time there: a row of zeros, which the tables omit. A part that is not covered is unknown, not zero.
bool is_zero(const result::BreakdownClass& c, std::size_t part);
// In slices: share of the time in bands of latency with too few traced I/Os.
double untold_of(const result::BreakdownClass& c);
// Rows in addition to the parts: unattributed time, total time, and untraced I/Os.
std::string sum_rows(const result::BreakdownClass& c);
// The second table.
std::string band_lines(const result::BreakdownClass& c);
std::string watching_lines(const result::Breakdown& split, const result::BreakdownClass& c);
// Events and requests that were not followed; empty: all were followed.
std::string lost_lines(const result::Breakdown& split);
// --cost: the overhead of one probe for one job; and one line per probe and job.
std::string watcher_words(const result::WatcherCost& of, const result::sums::CostTerms& terms);
std::string watcher_lines(const std::vector<result::WatcherCost>& watching);

}  // namespace fathom::report::parts
