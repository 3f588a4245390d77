// Turns the windows of an observation into a profile: values, their uncertainty, and what remains unknown. Pure.
#pragma once
#include <vector>

#include "paging/learn/learn.h"
#include "paging/learn/observe/observer.h"

namespace fathom::paging::learn {

struct Observed {
  std::string method;
  std::vector<observe::Window> windows;  // complete ones
  double interval_s = 0;                 // as requested
  std::uint64_t resident_pages = 0, mapped_bytes = 0, huge_bytes = 0;
  double followed_share = 1;  // of resident_pages
  double duration_s = 0, asked_s = 0;
  double cpu_share = -1;  // CPU time of the process for each second of the windows; < 0: unknown
  bool ended = false;     // the process, or its command, ended
};
// Adds to `out`: profile, findings, evidence. working_set_bytes may be 0.
void describe(const Observed& observed, Learnt& out);

}  // namespace fathom::paging::learn
