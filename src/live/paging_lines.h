// The lines that a terminal shows while `fathom paging` measures: the status line without the values of the second
// line, and a line with the rates, faults and latencies of the last second and a drawing of the rates of the last
// minutes. Pure: the caller prints them.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "paging/measure.h"

namespace fathom::live {

class PagingLines {
 public:
  // which: a prefix of the first line. duration_s: length of the measured window.
  std::vector<std::string> look(const std::string& which, const paging::Progress& p, double duration_s,
                                std::size_t columns, bool utf8);

 private:
  static constexpr std::size_t kKept = 240;  // calls of look()
  std::vector<double> accesses_per_s_;
};

}  // namespace fathom::live
