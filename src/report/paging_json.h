// `fathom.paging` of the JSON: the whole of result::Paging, with what the text computes from it beside it.
#pragma once
#include "report/json_writer.h"
#include "result/result.h"

namespace fathom::report {

// worker_bins: the buckets of every thread's histograms too (those of all threads are always written).
void write_paging(JsonWriter& w, const result::Paging& paging, bool worker_bins);

void write_paging_conditions(JsonWriter& w, const result::Paging& paging);  // paging_json_conditions.cc
void write_access_latency(JsonWriter& w, std::string_view key, const result::AccessLatency& latency, bool bins);

}  // namespace fathom::report
