// The windows (windows.h) of every entry of the report whose jobs ask for some, looked at by the parent while a stage
// runs. An entry of several jobs has the windows of its first, over what they did together; it begins with the first of
// them that is measured.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "run/sampling/windows.h"
#include "run/workers.h"

namespace fathom::run {

class EntryWindows {
 public:
  // entries: for every member the first of its entry.
  EntryWindows(const std::vector<Worker>& members, const std::vector<std::size_t>& entries);
  std::uint64_t next_ns() const;
  void look(const std::vector<Worker>& members, std::uint64_t now_ns);
  // Takes the place of the samples of 500 ms, where the entry asked for others.
  void put_into(std::size_t entry, result::Job& job) const;

 private:
  struct Entry {
    std::size_t first = 0, end = 0;
    std::optional<sampling::Windows> bytes, ios;
    std::uint64_t next_ns = ~0ull;  // when to look again; never: none of its jobs is at work
  };
  std::vector<Entry> entries_;
};

}  // namespace fathom::run
