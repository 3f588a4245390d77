// The table of report formats: adding one is one file and one row.
#include "report/formats.h"

#include <algorithm>
#include <array>

#include "report/normal.h"

namespace fathom::report {
namespace {

constexpr std::array<Format, 7> kFormats = {{
    {"normal", "fio's text report, then fathom's findings", normal},
    {"json", "fio's JSON, fathom's own results under the key \"fathom\"", json},
    {"json+", "json with the buckets of every latency histogram", json_plus},
    {"spdk", "the table of SPDK's perf: a row for every device of every thread", spdk},
    {"spdk-l", "the same with its summary of latencies (-L)", spdk_summary},
    {"spdk-ll", "the same with its histogram (-LL)", spdk_histogram},
    {"spdk-stats", "how the queues of each thread were used (--transport-stats)", spdk_statistics},
}};

}  // namespace

std::span<const Format> formats() { return kFormats; }

const Format* find_format(std::string_view name) {
  for (const auto& format : kFormats)
    if (format.name == name) return &format;
  return nullptr;
}

std::string report_in(std::span<const std::string> formats, const result::Run& run) {
  std::string others;
  for (const auto& name : formats)
    if (name != "normal") others += find_format(name)->render(run);
  const bool normal = others.empty() || std::count(formats.begin(), formats.end(), "normal") > 0;
  return normal ? preamble(run) + others + results(run) : others;
}

}  // namespace fathom::report
