// The ways to observe, as a table: what each needs, tells and cannot tell. Best first. Thread-safe.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "paging/learn/observe/observer.h"

namespace fathom::paging::learn {

struct MethodRow {
  const char* name;        // as in Profile::method
  std::size_t most_pages;  // that it can follow one by one
  const char* tells;
  const char* cannot_tell;
  std::optional<std::string> (*cause_against)();  // why not on this kernel, as this user; nothing: it can
  std::unique_ptr<observe::Observer> (*make)(const observe::Scene& scene);
  unsigned least_intervals;  // a window, where taking its counts costs much
  bool counts_only;          // no page is known by itself: curves
};
std::span<const MethodRow> method_rows();
// By name, or the best that can be had. Errors: usage (no such name), privilege (this one cannot be had here).
base::Expected<const MethodRow*> choose_method(const std::string& name);

}  // namespace fathom::paging::learn
