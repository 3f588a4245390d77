// Making the files that a job needs before it starts, as fio lays them out: a job that reads gets files full of
// incompressible data, synced and dropped from the page cache; a job that only writes gets its space allocated. An
// existing file is only ever extended.
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
  std::uint64_t files = 0, bytes = 0;  // made or extended, and what they hold now
  std::string unfinished;              // the file at which *stop ended it; empty: none
};

// Looks at every target again first (a job before this one may have made it). Stops between two blocks when *stop is
// set: a file that is then half made is removed, or ends where it is filled to. ErrorKind::usage when
// allow_file_create=0 forbids what would be needed. `look` is asked before anything is written (empty: nobody is).
base::Expected<LaidOut> lay_out(Plan& plan, const LayoutListener& listener, const std::atomic<std::uint32_t>& stop,
                                const DescriptorLook& look = {});

}  // namespace fathom::run::files
