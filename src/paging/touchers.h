// What may be looked at of a measurement from outside while it runs: the records of those that touch, and whose they are.
// Thread rule: any thread of the parent's, from MeasureOptions::on_start to on_end.
#pragma once
#include <span>
#include <vector>

#include "paging/sources/thread_record.h"

namespace fathom::paging {

struct Touchers {
  std::span<const sources::ThreadRecord> threads;  // of all processes
  std::vector<int> pids;                           // of the processes
  bool classified = true;                          // else all accesses stand as hits
  bool paced = false;                              // they wait between two accesses
};

}  // namespace fathom::paging
