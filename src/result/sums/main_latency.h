// The latency that a reader needs first, and that every headline has. It counts from the time when an I/O was due, if
// that is known (service times of a paced job omit the wait for earlier I/Os). Otherwise it is lat or else clat, the
// first of the two with percentiles. If only some jobs are paced, each I/O has its own: without a pace an I/O is due
// when it is issued. Pure.
#pragma once
#include <cstddef>
#include <string_view>
#include <vector>

#include "result/result.h"

namespace fathom::result::sums {

struct MainLatency {
  std::string_view name;  // as in the result: intended_lat, lat, clat
  const Latency* latency;
  bool is_due() const { return name == "intended_lat"; }
};
// For a sum of jobs, if only some are paced: lat or clat.
MainLatency main_latency(const Direction& direction);

// The main latencies of these directions form that of a reported job: its own direction, or those of its members if
// only some of them are paced.
std::vector<const Direction*> main_latency_parts(const Run& run, const Job& job, std::size_t dir);

// True: the job was paced, but its result does not have the rate or when I/Os were due: a result of another program.
bool lacks_due(const Job& job);

}  // namespace fathom::result::sums
