// The latency that a reader asks for first, and the one that every headline has: from when an I/O was due, where it was
// (a paced job's service times leave out the wait for those before it); else of the whole, else of its completion; the first of the two
// that has percentiles. Where
// only some jobs are paced, each I/O has its own: without a pace an I/O is due when it is issued. Pure.
#pragma once
#include <cstddef>
#include <string_view>
#include <vector>

#include "result/result.h"

namespace fathom::result::sums {

struct MainLatency {
  std::string_view name;  // as the result calls it: intended_lat, lat, clat
  const Latency* latency;
  bool is_due() const { return name == "intended_lat"; }
};
// Of a sum of which only some are paced: lat or clat.
MainLatency main_latency(const Direction& direction);

// Whose main latencies together are that of a reported job: its own direction, or those of its members where only some
// of them are paced.
std::vector<const Direction*> main_latency_parts(const Run& run, const Job& job, std::size_t dir);

// A rate was asked and nothing says when I/Os were due: of another program's result.
bool lacks_due(const Job& job);

}  // namespace fathom::result::sums
