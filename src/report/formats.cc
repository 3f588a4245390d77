// The table of report formats: adding one is one file and one row.
#include "report/formats.h"

#include <array>

namespace fathom::report {
namespace {

constexpr std::array<Format, 3> kFormats = {{
    {"normal", "fio's text report, then fathom's findings", normal},
    {"json", "fio's JSON, fathom's own results under the key \"fathom\"", json},
    {"json+", "json with the buckets of every latency histogram", json_plus},
}};

}  // namespace

std::span<const Format> formats() { return kFormats; }

const Format* find_format(std::string_view name) {
  for (const auto& format : kFormats)
    if (format.name == name) return &format;
  return nullptr;
}

}  // namespace fathom::report
