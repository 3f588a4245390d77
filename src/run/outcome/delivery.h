// What a worker delivered beside what its job asked for (result/delivery.h), from its record and the parent's looks at
// its queue. Pure functions: nothing is measured here.
#pragma once
#include <cstdint>

#include "result/delivery.h"
#include "run/files/targets.h"
#include "run/records/record.h"

namespace fathom::run::outcome {

// The parent looks at the queue of each running worker so often: its counters of I/Os issued and over, plain loads.
inline constexpr std::uint64_t kDepthSampleNs = 50'000'000;

struct DepthSamples {
  std::uint64_t looks = 0, full = 0;
  void add(std::uint64_t in_flight, std::uint64_t asked) {
    ++looks;
    full += in_flight >= asked ? 1 : 0;
  }
};

// I/Os that the job wants in flight at once, over all its queues.
std::uint64_t asked_depth(const files::Plan& plan);
result::Delivery delivery_of(const files::Plan& plan, const records::WorkerRecord& record, const DepthSamples& depth);
// For group_reporting. One that never ran (asked_depth 0) adds nothing. Classes of sizes that differ, and mixes that
// differ, have no sum and are left out.
void merge_delivery(result::Delivery& into, const result::Delivery& from);

}  // namespace fathom::run::outcome
