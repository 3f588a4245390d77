// Counting the writes that came to a place.
#include "run/write_history.h"

#include <fmt/format.h>

#include "workload/read_back.h"

namespace fathom::run {
namespace {

constexpr std::uint64_t kMostWrites = 20'000'000;

}  // namespace

std::string history_in_words(const VerifyFacts& facts, std::uint64_t writes, const io::Request& read,
                             const Judged& judged) {
  if (writes > kMostWrites) return fmt::format("it is of write {} of job {}", io::noted_write(read), facts.thread);
  workload::ReadBack all(facts.job, facts.targets, facts.index);
  std::uint64_t times = 0, last = 0;
  while (const auto write = all.next_below(writes)) {
    const bool there = write->target == read.target && write->offset < judged.offset + judged.length &&
                       judged.offset < write->offset + write->length;
    if (!there) continue;
    ++times;
    last = io::noted_write(*write);
  }
  if (times == 0) return "nothing of this job was written there";
  return fmt::format("written there {}, last by write {} of job {}",
                     times == 1 ? std::string("once") : fmt::format("{} times", times), last, facts.thread);
}

}  // namespace fathom::run
