// See state_standing.h. In version 3, all files have as many entries as the file with the most completed writes. The
// list of a file with fewer completed writes therefore ends with filler entries. A filler entry has offset 0, and no
// job wrote it.
#include "verify/state/state_standing.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace fathom::verify::state {
namespace {

bool before(const CompletedWrite& a, const CompletedWrite& b) {
  return std::tie(a.file, a.offset) < std::tie(b.file, b.offset);
}

bool has(const std::vector<std::uint64_t>& sorted, std::uint64_t number) {
  return std::binary_search(sorted.begin(), sorted.end(), number);
}

// A state with one file has no filler. Otherwise, an offset 0 as the oldest entry of its file is a write or filler
// (lists are newest first). If a later entry has another offset, the offset 0 is a write.
std::vector<std::uint64_t> files_with_doubtful_zero(const State& state) {
  struct Seen {
    bool sure = false, at_the_end = false;
  };
  std::map<std::uint64_t, Seen> files;
  if (state.files < 2) return {};
  for (const CompletedWrite& write : state.completed) {
    Seen& seen = files[write.file];
    if (write.offset != 0) seen.sure |= seen.at_the_end;
    seen.at_the_end = write.offset == 0;
  }
  std::vector<std::uint64_t> doubtful;
  for (const auto& [file, seen] : files)
    if (seen.at_the_end && !seen.sure) doubtful.push_back(file);
  return doubtful;
}

}  // namespace

const char* name(Standing standing) {
  constexpr const char* kNames[] = {"acknowledged", "in flight", "not issued", "failed", "unknown"};
  return kNames[static_cast<std::size_t>(standing)];
}

Standings::Standings(const State& state, std::uint32_t iodepth)
    : by_offset_(state.lists_offsets() && !state.own),
      issued_(state.writes_issued),
      depth_(state.depth),
      completed_(state.completed),
      doubtful_zero_(files_with_doubtful_zero(state)) {
  constexpr std::uint64_t kFirstWithFailed = 7;
  for (std::size_t i = 0; i < state.slots.size(); ++i) {
    if (state.slots[i] == kNoWrite) continue;
    const bool failed = state.version >= kFirstWithFailed && i >= iodepth;
    (failed ? failed_ : in_flight_).push_back(state.slots[i]);
  }
  if (state.own) {
    in_flight_ = state.own->in_flight;
    failed_ = state.own->failed;
  }
  std::sort(in_flight_.begin(), in_flight_.end());
  std::sort(failed_.begin(), failed_.end());
  std::sort(completed_.begin(), completed_.end(), before);
}

Standing Standings::of(const AskedWrite& write) const {
  if (write.number >= issued_) return Standing::not_issued;
  return by_offset_ ? by_offset(write) : by_number(write.number);
}

Standing Standings::by_number(std::uint64_t number) const {
  if (has(in_flight_, number)) return Standing::in_flight;
  return has(failed_, number) ? Standing::failed : Standing::acknowledged;
}

Standing Standings::by_offset(const AskedWrite& write) const {
  if (issued_ - write.number > depth_) return depth_ <= 1 ? Standing::acknowledged : Standing::unknown;
  const CompletedWrite asked{write.file, write.offset};
  if (!std::binary_search(completed_.begin(), completed_.end(), asked, before)) return Standing::in_flight;
  return write.offset == 0 && has(doubtful_zero_, write.file) ? Standing::unknown : Standing::acknowledged;
}

std::string Standings::stop_text(const AskedWrite& write) const {
  if (by_offset_) return {};
  if (write.number >= issued_) return fmt::format("Stop verify because seq {} >= {}", write.number, issued_);
  if (!has(in_flight_, write.number)) return {};
  return fmt::format("Stop verify because seq {} was an inflight write", write.number);
}

}  // namespace fathom::verify::state
