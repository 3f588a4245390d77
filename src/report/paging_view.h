// What the texts of `fathom paging` take from result/paging_sums.h, and pmbench's words.
#pragma once
#include <string>

#include "result/paging_sums.h"

namespace fathom::report {

using result::DeviceShare;
using result::kFirstBin_ns;
using result::LongAccesses;
using result::percent_of;
using result::PmbenchThread;

// "519ns"; of an imported run "<256ns" for what lies in its first bin.
std::string latency_text(const result::Paging& paging, double ns);

// pmbench's words for what has two names, in both directions of its XML.
std::string pmbench_pattern(const std::string& pattern);  // "legacy:zipf" -> "zipf"
std::string pmbench_access(const std::string& access);    // "histogram" -> "histo"

}  // namespace fathom::report
