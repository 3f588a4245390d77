// The parent may read these during a measurement: the records of the touching threads, and their processes.
// Thread rule: any thread of the parent, from MeasureOptions::on_start to on_end.
#pragma once
#include <span>
#include <vector>

#include "paging/sources/thread_record.h"

namespace fathom::paging {

struct Touchers {
  std::span<const sources::ThreadRecord> threads;  // of all processes
  std::vector<int> pids;                           // of the processes
  bool classified = true;                          // false: all accesses count as hits
  bool paced = false;                              // the threads wait between two accesses
};

}  // namespace fathom::paging
