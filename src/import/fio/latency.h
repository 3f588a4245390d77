// A latency in fio's JSON. From 2.99 on it is in ns and its name ends with _ns; before, it is in us. The number of samples
// is in the file from 3.18 on. Pure.
#pragma once
#include <cstdint>
#include <vector>

#include "import/json_fields.h"
#include "result/result.h"

namespace fathom::import::fio {

// name: "clat". ios: how many samples it has where the file does not tell. list: the first percentiles that the file has
// of any latency. Whether it has some of this one.
bool read_latency(JsonDocument& in, const JsonNode& of, const char* name, std::uint64_t ios, result::Latency& latency,
                  std::vector<double>& list);

}  // namespace fathom::import::fio
