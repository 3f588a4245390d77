// Values of `fathom paging`'s options, read with their bounds: what is wrong comes back as one sentence with what to
// write instead. Pure, but for read_node_lists, which asks the machine for a node's CPUs.
#pragma once
#include <fmt/format.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/error.h"
#include "base/parse.h"
#include "cli/nvme_flags.h"
#include "paging/plan.h"

namespace fathom::cli {

std::vector<std::string> split(const std::string& text, char at);

template <class T>
struct Named {
  std::string_view name;
  T value;
};

base::Error unknown_name(std::string_view flag, std::string_view value, std::span<const std::string_view> known,
                         std::string_view more);

// One of a few names; `more` stands after them in the error: forms that the caller has read before.
template <class T>
base::Expected<void> read_named(std::string_view flag, std::string_view value, std::span<const Named<T>> names, T& out,
                                std::string_view more = "") {
  std::vector<std::string_view> known;
  for (const auto& n : names) {
    if (n.name == value) return out = n.value, base::Expected<void>{};
    known.push_back(n.name);
  }
  return unknown_name(flag, value, known, more);
}

// As the user writes it: "--threads=2", "-j 2".
std::string written(std::string_view flag, std::string_view value);

// A number from least to most, both included: whole where `out` is.
template <class T>
base::Expected<void> read_number(std::string_view flag, const std::string& value, double least, double most, T& out) {
  constexpr bool kWhole = std::is_integral_v<T>;
  bool good = false;
  if constexpr (kWhole) {
    const auto v = base::parse_int(value);
    good = v && static_cast<double>(*v) >= least && static_cast<double>(*v) <= most;
    if (good) out = static_cast<T>(*v);
  } else {
    const auto v = base::parse_double(value);
    good = v && *v >= least && *v <= most;
    if (good) out = static_cast<T>(*v);
  }
  if (good) return {};
  return usage_error(
      fmt::format("{}: not a {} from {} to {}", written(flag, value), kWhole ? "whole number" : "number", least, most),
      "", "");
}

// "50" or "50%".
template <class T>
base::Expected<void> read_percent(std::string_view flag, const std::string& value, T& out) {
  return read_number(flag, value.ends_with('%') ? value.substr(0, value.size() - 1) : value, 0, 100, out);
}

// "256M": whole pages, at least one.
base::Expected<void> read_pages(std::string_view flag, const std::string& value, std::uint64_t& out);
// "10", "10s", "2m" -> seconds.
base::Expected<void> read_seconds(std::string_view flag, const std::string& value, double least, double most,
                                  double& out);
// "100us", "1200" (ns): above 0.
base::Expected<void> read_ns(std::string_view flag, const std::string& value, std::uint64_t& out);
// "0,2-5" -> 0 2 3 4 5.
base::Expected<void> read_list(std::string_view flag, const std::string& value, std::vector<int>& out);
// The same of CPUs: those that this process may not use are an error.
base::Expected<void> read_cpus(std::string_view flag, const std::string& value, std::vector<int>& out);
// "0-3" or "0:1:2,3": a list a thread in turn.
base::Expected<void> read_cpu_lists(const std::string& value, std::vector<std::vector<int>>& out);
// The same of NUMA nodes: their CPUs.
base::Expected<void> read_node_lists(const std::string& value, std::vector<std::vector<int>>& out);
base::Expected<void> read_stamps(std::string_view flag, const std::string& value, paging::Stamps& out);
// "text,json" of report/paging_formats.h; "normal" is another name of text.
base::Expected<void> read_formats(const std::string& value, std::vector<std::string>& out);

}  // namespace fathom::cli
