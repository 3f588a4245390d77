// A latency in fio's JSON: since 2.99 in ns under a name that ends with it, before in us; how many samples it has is told
// since 3.18. Pure.
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
