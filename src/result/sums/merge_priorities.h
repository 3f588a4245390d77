// Latencies by priority of two jobs, or of two directions, as those of one: the same priority is one entry.
#pragma once
#include <algorithm>
#include <vector>

#include "result/result.h"

namespace fathom::result {

inline void merge_priorities(std::vector<PriorityLatency>& into, const std::vector<PriorityLatency>& from) {
  for (const auto& one : from) {
    const auto same = std::find_if(into.begin(), into.end(), [&](const auto& p) {
      return p.io_class == one.io_class && p.level == one.level && p.hint == one.hint;
    });
    if (same == into.end()) {
      into.push_back(one);
      continue;
    }
    same->latency.moments_ns.merge(one.latency.moments_ns);
    same->latency.histogram_ns.merge(one.latency.histogram_ns);
  }
}

}  // namespace fathom::result
