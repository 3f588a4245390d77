// The achieved values of a worker next to those that its job requested (result/delivery.h). They come from its record
// and the parent's samples of its queue. Pure functions: nothing is measured here.
#pragma once
#include <cstdint>

#include "result/delivery.h"
#include "run/files/targets.h"
#include "run/records/record.h"

namespace fathom::run::outcome {

// Interval at which the parent samples each running worker's queue: its counters of issued and completed I/Os, by plain
// loads.
inline constexpr std::uint64_t kDepthSampleNs = 50'000'000;

struct DepthSamples {
  std::uint64_t looks = 0, full = 0;
  void add(std::uint64_t in_flight, std::uint64_t asked) {
    ++looks;
    full += in_flight >= asked ? 1 : 0;
  }
};

// The number of I/Os that the job requests in flight, over all its queues.
std::uint64_t asked_depth(const files::Plan& plan);
result::Delivery delivery_of(const files::Plan& plan, const records::WorkerRecord& record, const DepthSamples& depth);
// For group_reporting. A job that never ran (asked_depth 0) adds nothing. Size classes or mixes that differ have no sum
// and are omitted.
void merge_delivery(result::Delivery& into, const result::Delivery& from);

}  // namespace fathom::run::outcome
