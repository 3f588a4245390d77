// The table of formats of `fathom paging`: adding one is one file and one row.
#include "report/paging_formats.h"

#include <array>

namespace fathom::report {
namespace {

constexpr std::array<Format, 7> kFormats = {{
    {"text", "classes, shares of time, histograms drawn, findings", paging_text},
    {"text-ascii", "the same without block characters", paging_text_ascii},
    {"json", "the common schema, results under \"fathom\".\"paging\"", json},
    {"json+", "json with the buckets of every thread's histograms", json_plus},
    {"xml", "pmbench's XML report, ours in one element more", pmbench_xml},
    {"csv", "the sheet that pmbench's graphing program exports", pmbench_csv},
    {"pmbench", "the lines of pmbench's text that scripts read", pmbench_lines},
}};

}  // namespace

std::span<const Format> paging_formats() { return kFormats; }

const Format* find_paging_format(std::string_view name) {
  for (const auto& format : kFormats)
    if (format.name == name) return &format;
  return nullptr;
}

}  // namespace fathom::report
