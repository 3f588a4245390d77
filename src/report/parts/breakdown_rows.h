// The rows of a breakdown: of single I/Os' latencies, of sums beside the parts, of bands of latency, and what watching
// cost. Every piece ends with a newline or is empty.
#pragma once
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "result/breakdown.h"
#include "result/sums/cost_words.h"

namespace fathom::report::parts {

inline std::string us(double ns) { return fmt::format("{:.2f}", ns / 1e3); }

// What a row shows beside its latency. untold: a share of the time that is in no part, of which any may be this one's.
struct RowFacts {
  double share = 0, half_width = -1, untold = 0;
};

std::string part_row(std::string_view name, const result::PartLatency& part, const RowFacts& facts);
// Of the whole's time; of slices of all I/Os' time, as far as that is known.
double share_of(const result::BreakdownClass& c, std::size_t part);
// Of slices: of the time of bands of latency that too few were watched in.
double untold_of(const result::BreakdownClass& c);
// What stands beside the parts: what of the time is in none, all of it, and I/Os that were not watched.
std::string sum_rows(const result::BreakdownClass& c);
// The second table.
std::string band_lines(const result::BreakdownClass& c);
std::string watching_lines(const result::Breakdown& split, const result::BreakdownClass& c);
// What was not followed; empty: nothing.
std::string lost_lines(const result::Breakdown& split);
// --cost: what one watcher costs one job; and a line a watcher and job.
std::string watcher_words(const result::WatcherCost& of, const result::sums::CostTerms& terms);
std::string watcher_lines(const std::vector<result::WatcherCost>& watching);

}  // namespace fathom::report::parts
