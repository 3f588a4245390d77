// Merges two directions: of several jobs, or of one job that reports its directions together. Pure.
#pragma once
#include <algorithm>
#include <vector>

#include "result/result.h"
#include "result/sums/rates.h"

namespace fathom::result::sums {

inline void merge_latency(Latency& into, const Latency& from) {
  into.moments_ns.merge(from.moments_ns);
  into.histogram_ns.merge(from.histogram_ns);
}

// Entries of the same priority become one.
inline void merge_priorities(std::vector<PriorityLatency>& into, const std::vector<PriorityLatency>& from) {
  for (const auto& one : from) {
    const auto same = std::find_if(into.begin(), into.end(), [&](const auto& p) {
      return p.io_class == one.io_class && p.level == one.level && p.hint == one.hint;
    });
    if (same == into.end())
      into.push_back(one);
    else
      merge_latency(same->latency, one.latency);
  }
}

// Merges counts, times and latencies. The caller merges samples and series.
inline void merge_direction(Direction& into, const Direction& from) {
  merge_times(into, from);
  into.bytes += from.bytes;
  into.ios += from.ios;
  into.issued += from.issued;
  into.short_ios += from.short_ios;
  into.dropped_ios += from.dropped_ios;
  into.error_ios += from.error_ios;
  into.moved_bytes += from.moved_bytes;
  into.moved_ios += from.moved_ios;
  merge_latency(into.slat, from.slat);
  merge_latency(into.clat, from.clat);
  merge_latency(into.lat, from.lat);
  merge_latency(into.intended_lat, from.intended_lat);
  merge_latency(into.start_delay, from.start_delay);
  merge_priorities(into.priorities, from.priorities);
}

}  // namespace fathom::result::sums
