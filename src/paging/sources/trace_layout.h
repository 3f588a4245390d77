// Places a trace's pages in the set: the pages that it touches, in the order of their addresses, without the gaps
// between them. Neighbors in the recorded address space stay neighbors, and no two pages share one. A trace that
// touches more pages than the set has is refused: any other layout would change the program's locality.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"

namespace fathom::paging::sources {

class TraceLayout {
 public:
  explicit TraceLayout(std::vector<std::uint64_t> addresses);  // of pages, in any order, more than once
  void count_accesses(std::uint64_t n) { accesses_ = n; }
  std::uint64_t pages() const { return pages_.size(); }
  std::uint64_t accesses() const { return accesses_; }
  static constexpr std::uint64_t kNowhere = ~std::uint64_t{0};
  // address / 4096 -> page in the set; kNowhere: not in the trace that was scanned.
  std::uint64_t place_of(std::uint64_t page) const;

 private:
  std::vector<std::uint64_t> pages_;  // sorted, each once
  std::uint64_t accesses_ = 0;
};

// Reads the whole trace once. Keeps the last result and returns it again while the file is the same, so that one scan
// serves the check before a run and all of its threads. Thread rule: any thread. Errors: as TraceFile; usage if the
// trace has no access.
base::Expected<std::shared_ptr<const TraceLayout>> scan_trace(const std::string& path);

}  // namespace fathom::paging::sources
