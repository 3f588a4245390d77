// A latency in fio's JSON. From 2.99 on, it is in ns and its name ends with _ns; before, it is in us. From 3.18 on, the
// file has the number of samples. Pure.
#pragma once
#include <cstdint>
#include <vector>

#include "import/json_fields.h"
#include "result/result.h"

namespace fathom::import::fio {

// name: "clat". ios: number of samples if the file lacks it. list: the percentiles of the file's first latency that
// has some. True: this latency has percentiles.
bool read_latency(JsonDocument& in, const JsonNode& of, const char* name, std::uint64_t ios, result::Latency& latency,
                  std::vector<double>& list);

}  // namespace fathom::import::fio
