// The windows (windows.h) of every report entry with jobs that request them. The parent updates them while a stage
// runs. An entry of several jobs uses the windows of its first job, over the sum of all. They begin with the first job
// that is measured.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "run/sampling/windows.h"
#include "run/workers.h"

namespace fathom::run {

class EntryWindows {
 public:
  // entries: for every member, the first member of its entry.
  EntryWindows(const std::vector<Worker>& members, const std::vector<std::size_t>& entries);
  std::uint64_t next_ns() const;
  void look(const std::vector<Worker>& members, std::uint64_t now_ns);
  // Replaces the samples of 500 ms, if the entry requested other windows.
  void put_into(std::size_t entry, result::Job& job) const;

 private:
  struct Entry {
    std::size_t first = 0, end = 0;
    std::optional<sampling::Windows> bytes, ios;
    std::uint64_t next_ns = ~0ull;  // time of the next look; never: none of its jobs runs
  };
  std::vector<Entry> entries_;
};

}  // namespace fathom::run
