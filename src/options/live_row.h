// The row of --live=WHAT for every command that measures: how to write the option.
// Thread rule: pure; any thread.
#pragma once
#include <vector>

#include "options/live.h"
#include "options/rows.h"

namespace fathom::options {

// Parses one value and appends it to `all`. Problem: unknown form, missing file or port, port above 65535, or a second
// output of the same kind.
Outcome add_live(std::vector<Live>& all, const Value& value);
inline constexpr const char* kLiveHelp =
    "print progress each second: json[:FILE], an object per line; metrics:FILE for Prometheus, removed at the end; "
    "metrics-keep:FILE, kept; page:PORT, an HTML page on 127.0.0.1 at the printed address (0: a free port) "
    "(repeatable)";

template <auto Member>
Outcome read_live(typename MemberOf<decltype(Member)>::Owner& owner, const Value& value) {
  return add_live(owner.*Member, value);
}

}  // namespace fathom::options
