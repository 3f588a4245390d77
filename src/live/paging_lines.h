// What a terminal shows of `fathom paging` while it measures: the status line without what stands below, and a line with
// the rates, faults and latencies of the last second and the rates of the last minutes drawn. Pure: the caller prints.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "paging/measure.h"

namespace fathom::live {

class PagingLines {
 public:
  // which: before them. duration_s: of the measured window.
  std::vector<std::string> look(const std::string& which, const paging::Progress& p, double duration_s,
                                std::size_t columns, bool utf8);

 private:
  static constexpr std::size_t kKept = 240;  // looks
  std::vector<double> accesses_per_s_;
};

}  // namespace fathom::live
