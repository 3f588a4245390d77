// Reading values.
#include "paging_job/values.h"

#include <fmt/format.h>

#include "base/nearest.h"
#include "base/system/affinity.h"
#include "base/system/numa.h"
#include "report/paging_formats.h"

namespace fathom::paging_job {

using options::Outcome, options::Value, options::wrong;

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0;;) {
    const auto end = text.find(at, begin);
    parts.push_back(text.substr(begin, end == std::string::npos ? end : end - begin));
    if (end == std::string::npos) return parts;
    begin = end + 1;
  }
}

Outcome read_shape(paging::PatternPlan& pattern, const Value& value) {
  double shape = 0;
  auto problem = options::read_real(value, -1e18, 1e18, shape);
  if (!problem) pattern.shape = shape;
  return problem;
}

Outcome read_pages(const Value& value, std::uint64_t& out) {
  std::uint64_t bytes = 0;
  if (auto problem = options::read_number(value, bytes)) return problem;
  if (bytes % kPage_bytes != 0)
    return wrong("not a number of whole pages", fmt::format("{} bytes; a page has {}", bytes, kPage_bytes),
                 fmt::format("write a size with its unit: `{}`", value.with("512M")), value.text);
  out = bytes;
  return {};
}

Outcome read_cpus(const Value& value, std::vector<int>& out) {
  return options::read_usable_cpus(value, base::system::allowed_cpus(), out);
}

Outcome read_cpu_lists(paging::Plan& plan, const Value& value) {
  std::vector<std::vector<int>> lists;
  for (const auto part : options::split(value.text, ':'))
    if (auto problem = read_cpus(value.part(part), lists.emplace_back())) return problem;
  plan.thread_cpus = std::move(lists);
  return {};
}

Outcome read_node_lists(paging::Plan& plan, const Value& value) {
  std::vector<std::vector<int>> lists;
  for (const auto part : options::split(value.text, ':')) {
    std::vector<int> nodes;
    if (auto problem = options::read_numbers(value.part(part), nodes)) return problem;
    auto& cpus = lists.emplace_back();
    for (const int node : nodes) {
      const auto of_node = base::system::node_cpus(node);
      if (of_node.empty())
        return wrong(fmt::format("node {} has no CPU", node), "",
                     fmt::format("the nodes of this machine: {}", fmt::join(base::system::memory_nodes(), ",")), part);
      cpus.insert(cpus.end(), of_node.begin(), of_node.end());
    }
  }
  plan.thread_cpus = std::move(lists);
  return {};
}

Outcome read_formats(ReportOptions& report, const Value& value) {
  std::vector<std::string> names;
  for (const auto part : options::split(value.text, ',')) {
    const auto name = part == "normal" ? "text" : part;
    if (report::find_paging_format(name) == nullptr) {
      std::vector<std::string_view> known;
      for (const auto& f : report::paging_formats()) known.push_back(f.name);
      return wrong("not a value of " + value.name(), fmt::format("the values are {}", fmt::join(known, ", ")),
                   base::did_you_mean(part, known, "write one or more of them"), part);
    }
    names.emplace_back(name);
  }
  report.formats = std::move(names);
  return {};
}

}  // namespace fathom::paging_job
