// The observation methods as a table: what each needs, reports and cannot report. Best first. Thread-safe.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "paging/learn/observe/observer.h"

namespace fathom::paging::learn {

struct MethodRow {
  const char* name;        // as in Profile::method
  std::size_t most_pages;  // maximum that it can follow one by one
  const char* tells;
  const char* cannot_tell;
  // Why it is unavailable on this kernel to this user; nullopt: available.
  std::optional<std::string> (*cause_against)();
  std::unique_ptr<observe::Observer> (*make)(const observe::Scene& scene);
  unsigned least_intervals;  // minimum per window; high if reading the counts costs much
  bool counts_only;          // single pages are unknown: curves only
};
std::span<const MethodRow> method_rows();
// By name; "": the best available. Errors: usage (no such name), privilege (not available here).
base::Expected<const MethodRow*> choose_method(const std::string& name);

}  // namespace fathom::paging::learn
