// Reads values that only `fathom paging` and pmbench have, and checks their bounds. Pure, except read_node_lists, which
// asks the machine for a node's CPUs.
#pragma once
#include <string>
#include <vector>

#include "options/value.h"
#include "paging_job/request.h"

namespace fathom::paging_job {

inline constexpr std::uint64_t kPage_bytes = 4096, kMostMap_bytes = std::uint64_t{1} << 47;

inline constexpr options::Choice kStampChoices[] = {{"fenced", int(paging::Stamps::fenced), ""},
                                                    {"rdtscp", int(paging::Stamps::rdtscp), ""},
                                                    {"rdtsc", int(paging::Stamps::rdtsc), ""},
                                                    {"clock_gettime", int(paging::Stamps::clock_gettime), ""}};

std::vector<std::string> split(const std::string& text, char at);

// "256M": whole pages, within the row's range.
options::Outcome read_pages(const options::Value& value, std::uint64_t& out);
// A pattern's parameter. The pattern defines its meaning.
options::Outcome read_shape(paging::PatternPlan& pattern, const options::Value& value);
// CPUs that this process may use.
options::Outcome read_cpus(const options::Value& value, std::vector<int>& out);
// "0-3" or "0:1:2,3": one list per thread, in turn.
options::Outcome read_cpu_lists(paging::Plan& plan, const options::Value& value);
// The same with NUMA nodes: the CPUs of each node.
options::Outcome read_node_lists(paging::Plan& plan, const options::Value& value);
// "text,json" of report/paging_formats.h; "normal" is another name of text.
options::Outcome read_formats(ReportOptions& report, const options::Value& value);

}  // namespace fathom::paging_job
