// Creates the files that a job needs before it starts, as fio does. A job that reads gets files full of incompressible
// data, synced and dropped from the page cache. A job that only writes gets its space allocated. An existing file is
// only extended, never shortened.
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "base/error.h"
#include "run/files/targets.h"

namespace fathom::run::files {

struct LayoutProgress {
  std::string job;
  std::string path;
  std::uint64_t files = 0, total_bytes = 0, done_bytes = 0;
};
using LayoutListener = std::function<void(const LayoutProgress&)>;

struct LaidOut {
  std::uint64_t files = 0, bytes = 0;  // to create or extend, and their size afterwards
  std::string unfinished;              // the file at which *stop ended the layout; empty: none
};

// First examines every target again, because an earlier job may have created it. Stops between two blocks when *stop is
// set: a half-made file is then removed, or ends where its data end. ErrorKind::usage if allow_file_create=0 forbids a
// needed file. Calls `look` before it writes to a file (empty: no check).
base::Expected<LaidOut> lay_out(Plan& plan, const LayoutListener& listener, const std::atomic<std::uint32_t>& stop,
                                const DescriptorLook& look = {});

}  // namespace fathom::run::files
