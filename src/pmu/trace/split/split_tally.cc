// A class without a single request has no parts: what it did is uncovered.
#include "pmu/trace/split/split_tally.h"

#include <algorithm>
#include <iterator>

namespace fathom::pmu::trace::split {

SplitTally::All& SplitTally::all() {
  if (!all_) all_ = std::make_unique<All>();
  return *all_;
}

void SplitTally::add_undivided(result::Undivided why, std::uint64_t whole_ns) {
  using enum result::Undivided;
  ++ios_;
  auto& rest = undivided_[static_cast<std::size_t>(why)];
  ++rest.ios;
  rest.time_ns += whole_ns;
  if (why == no_request || why == handed_on || why == read_ahead || why == unknown) all().uncovered.add(whole_ns);
}

void SplitTally::add(const SplitIo& split, std::uint64_t whole_ns) {
  if (!split.matched) return add_undivided(split.why, whole_ns);
  ++ios_;
  ++matched_;
  outside_ += split.outside_ns > 0;
  outside_ns_ += split.outside_ns;
  outside_max_ns_ = std::max(outside_max_ns_, split.outside_ns);
  std::uint64_t sum_ns = 0;
  for (std::size_t p = 0; p < result::kEventParts; ++p) {
    sum_ns += split.part_ns[p];
    if (split.queue_covered || p != static_cast<std::size_t>(result::Part::queue)) all().parts[p].add(split.part_ns[p]);
  }
  all().whole.add(whole_ns);
  all().sum.add(sum_ns);
}

result::BreakdownClass SplitTally::result() const {
  result::BreakdownClass out;
  out.ios = ios_;
  out.matched = matched_;
  std::copy(std::begin(undivided_), std::end(undivided_), std::begin(out.undivided));
  out.outside = outside_;
  out.outside_ns = outside_ns_;
  out.outside_max_ns = outside_max_ns_;
  if (!all_) return out;
  const auto fill = [](const Sums& sums, result::PartLatency& part) {
    part.covered = sums.moments.n > 0;
    part.moments_ns = sums.moments;
    part.histogram_ns = stats::Histogram(sums.counts);
  };
  for (std::size_t p = 0; p < result::kEventParts; ++p) fill(all_->parts[p], out.parts[p]);
  fill(all_->whole, out.whole);
  fill(all_->sum, out.sum);
  fill(all_->uncovered, out.uncovered);
  fill(all_->others, out.others);
  return out;
}

}  // namespace fathom::pmu::trace::split
