// Reading values.
#include "cli/paging_values.h"

#include <algorithm>

#include "base/affinity.h"
#include "base/cpu_list.h"
#include "base/nearest.h"
#include "paging/region.h"
#include "report/paging_formats.h"

namespace fathom::cli {

using Outcome = base::Expected<void>;

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0;;) {
    const auto end = text.find(at, begin);
    parts.push_back(text.substr(begin, end == std::string::npos ? end : end - begin));
    if (end == std::string::npos) return parts;
    begin = end + 1;
  }
}

std::string written(std::string_view flag, std::string_view value) {
  return fmt::format("{}{}{}", flag, flag.starts_with("--") ? "=" : " ", value);
}

base::Error unknown_name(std::string_view flag, std::string_view value, std::span<const std::string_view> known,
                         std::string_view more) {
  const std::vector<std::string> names(known.begin(), known.end());
  return usage_error(fmt::format("{}: no such value", written(flag, value)), "",
                     base::did_you_mean(value, names, fmt::format("one of: {}{}", fmt::join(known, ", "), more)));
}

Outcome read_pages(std::string_view flag, const std::string& value, std::uint64_t& out) {
  constexpr std::uint64_t kPage = 4096, kMost = 1ull << 47;
  const auto bytes = base::parse_bytes(value);
  if (!bytes) return usage_error(fmt::format("{}={}: not a size", flag, value), "", fmt::format("`{}=512M`", flag));
  if (*bytes < kPage || *bytes % kPage != 0 || *bytes > kMost)
    return usage_error(fmt::format("{}={}: not a number of whole pages", flag, value),
                       fmt::format("{} bytes; a page has {}, and the most is 128 TiB", *bytes, kPage),
                       fmt::format("write a size with its unit: `{}=512M`", flag));
  out = *bytes;
  return {};
}

Outcome read_seconds(std::string_view flag, const std::string& value, double least, double most, double& out) {
  const auto ns = base::parse_duration_ns(value, 1'000'000'000);
  const double seconds = ns ? static_cast<double>(*ns) / 1e9 : -1;
  if (!ns || seconds < least || seconds > most)
    return usage_error(fmt::format("{}={}: not a time from {} s to {} s", flag, value, least, most), "",
                       fmt::format("`{}=10s`", flag));
  out = seconds;
  return {};
}

Outcome read_ns(std::string_view flag, const std::string& value, std::uint64_t& out) {
  const auto ns = base::parse_duration_ns(value, 1);
  if (!ns || *ns == 0)
    return usage_error(fmt::format("{}={}: not a time above 0", flag, value), "", fmt::format("`{}=100us`", flag));
  out = *ns;
  return {};
}

Outcome read_list(std::string_view flag, const std::string& value, std::vector<int>& out) {
  const auto list = base::parse_cpu_list(value);
  if (!list.ok())
    return usage_error(fmt::format("{}: `{}` is no number or range", written(flag, value), list.wrong), "",
                       fmt::format("`{}`", written(flag, "0,2-5")));
  out = list.sorted();
  return {};
}

Outcome read_cpus(std::string_view flag, const std::string& value, std::vector<int>& out) {
  const auto allowed = base::allowed_cpus();
  std::vector<int> cpus;
  if (auto ok = read_list(flag, value, cpus); !ok) return ok;
  for (const int cpu : cpus)
    if (std::find(allowed.begin(), allowed.end(), cpu) == allowed.end())
      return usage_error(fmt::format("{}: CPU {} may not be used", written(flag, value), cpu),
                         "it is not there, or the affinity mask or the container leaves it out",
                         fmt::format("this process may use: {}", fmt::join(allowed, ",")));
  out = std::move(cpus);
  return {};
}

Outcome read_cpu_lists(const std::string& value, std::vector<std::vector<int>>& out) {
  std::vector<std::vector<int>> lists;
  for (const auto& part : split(value, ':'))
    if (auto ok = read_cpus("--cpus", part, lists.emplace_back()); !ok) return ok;
  out = std::move(lists);
  return {};
}

Outcome read_node_lists(const std::string& value, std::vector<std::vector<int>>& out) {
  std::vector<std::vector<int>> lists;
  for (const auto& part : split(value, ':')) {
    std::vector<int> nodes;
    if (auto ok = read_list("--cpunode", part, nodes); !ok) return ok;
    auto& cpus = lists.emplace_back();
    for (const int node : nodes) {
      const auto of_node = paging::node_cpus(node);
      if (of_node.empty())
        return usage_error(fmt::format("--cpunode={}: node {} has no CPU", value, node), "",
                           fmt::format("the nodes of this machine: {}", fmt::join(paging::memory_nodes(), ",")));
      cpus.insert(cpus.end(), of_node.begin(), of_node.end());
    }
  }
  out = std::move(lists);
  return {};
}

Outcome read_stamps(std::string_view flag, const std::string& value, paging::Stamps& out) {
  using paging::Stamps;
  constexpr Named<Stamps> kNames[] = {{"fenced", Stamps::fenced},
                                      {"rdtscp", Stamps::rdtscp},
                                      {"rdtsc", Stamps::rdtsc},
                                      {"clock_gettime", Stamps::clock_gettime}};
  return read_named<Stamps>(flag, value, kNames, out);
}

Outcome read_formats(const std::string& value, std::vector<std::string>& out) {
  std::vector<std::string> names;
  for (auto& name : split(value, ',')) {
    if (name == "normal") name = "text";
    if (report::find_paging_format(name) == nullptr) {
      std::string known;
      for (const auto& f : report::paging_formats()) known += (known.empty() ? "" : ", ") + std::string(f.name);
      return usage_error(fmt::format("--output-format={}: no format `{}`", value, name), "",
                         "one or more of: " + known);
    }
    names.push_back(std::move(name));
  }
  out = std::move(names);
  return {};
}

}  // namespace fathom::cli
