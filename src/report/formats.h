// Every report format is a pure function of a Run. Adding one is one file and one row here.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "result/result.h"

namespace fathom::report {

std::string normal(const result::Run& run);           // fio's text
std::string json(const result::Run& run);             // fio's JSON, ours under "fathom"
std::string json_plus(const result::Run& run);        // the same with histogram bins
std::string spdk(const result::Run& run);             // SPDK perf's table
std::string spdk_summary(const result::Run& run);     // as with -L
std::string spdk_histogram(const result::Run& run);   // as with -LL
std::string spdk_statistics(const result::Run& run);  // what --transport-stats adds

struct Format {
  std::string_view name;
  std::string_view summary;
  std::string (*render)(const result::Run&);
};
std::span<const Format> formats();
const Format* find_format(std::string_view name);
// Several together, by name. fio's text comes in two halves around the others, as fio prints it: a script cuts the JSON
// out between lines that are a brace alone.
std::string report_in(std::span<const std::string> formats, const result::Run& run);

}  // namespace fathom::report
