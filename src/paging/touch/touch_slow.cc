// The parts of an access that the touch loop does not execute every time.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <limits>

#include "base/time.h"
#include "paging/touch/access_asm.h"
#include "paging/touch/touch_loop.h"

namespace fathom::paging::touch {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

// Writes pmbench's line into the kernel's trace: the threshold, then the latency. So the cause of the delay can be read
// next to it.
void mark(int fd, std::uint64_t threshold_ns, std::uint64_t ns) {
  char line[80];
  const int length = std::snprintf(line, sizeof line, "latency > %lluns: %llu\n",
                                   static_cast<unsigned long long>(threshold_ns), static_cast<unsigned long long>(ns));
  [[maybe_unused]] const auto written = ::write(fd, line, static_cast<std::size_t>(length));
}

void count_fault(sources::LiveCounts& live, result::AccessClass which) {
  auto& count = which == result::AccessClass::major ? live.major : live.minor;
  if (which != result::AccessClass::hit) count.store(count.load(kRelaxed) + 1, kRelaxed);
}

}  // namespace

void ready_to_touch(sources::ThreadRecord& record, const sources::LoopInputs& in) {
  sources::ThreadHead& head = record.head;
  head.in = in;
  head.in.block_begin = head.in.block_count = 0;
  for (auto& of_class : head.sums)
    for (auto& sums : of_class) sums = {0, 0, 0, std::numeric_limits<std::uint64_t>::max(), 0};
  head.in.quick_ticks = std::min({in.slow_ticks, in.mark_ticks, in.conversion.to_ticks({sources::kQuickNs}).v});
  for (auto& limit : head.limit_ticks) limit = 0;
}

bool slow_access(sources::ThreadRecord& record, std::uint64_t start, std::uint64_t ticks, const sources::Access* at) {
  sources::ThreadHead& head = record.head;
  const sources::LoopInputs& in = head.in;
  const std::size_t dir = at->write() ? 1 : 0;
  const std::uint64_t ns = in.conversion.to_ns({ticks}).v;
  auto which = result::AccessClass::hit;
  if (in.classify && ticks >= in.slow_ticks) {
    which = head.ledger.slow_access(read_faults());
    count_fault(head.live, which);
  } else if (ticks < in.quick_ticks) {
    head.limit_ticks[dir] = ticks;
  }
  const auto c = static_cast<std::size_t>(which);
  head.sums[c][dir].add(ns);
  record.histograms[c][dir].raw.add(ns);
  if (ticks >= in.mark_ticks) mark(in.mark_fd, in.mark_ns, ns);

  const std::uint64_t end = start + ticks;
  head.live.accesses.store(in.block_begin + static_cast<std::uint64_t>(at - head.block) + 1, kRelaxed);
  head.live.last.store(end, kRelaxed);
  return end < in.deadline && head.live.stop.load(kRelaxed) == 0;
}

const sources::Access* next_block(sources::ThreadRecord& record, std::uint64_t now) {
  sources::ThreadHead& head = record.head;
  sources::LoopInputs& in = head.in;
  in.block_begin += in.block_count;
  in.block_count = 0;
  for (auto& sums : head.sums[0]) sums.close_block();
  head.live.accesses.store(in.block_begin, kRelaxed);
  head.live.last.store(now, kRelaxed);
  const std::uint64_t left = in.max_accesses - in.block_begin;
  if (now >= in.deadline || left == 0 || head.live.stop.load(kRelaxed) != 0 || in.source->exhausted()) return nullptr;
  in.source->refill(head.block, in.conversion.to_ns({now - in.begin}).v);
  if (in.classify) head.ledger.between(read_faults());
  in.block_count = std::min<std::uint64_t>(left, in.source->in_block());
  return in.block_count == 0 ? nullptr : head.block + in.block_count;
}

std::uint64_t warm_up(sources::ThreadRecord& record, std::uint64_t accesses, bool load_before_store) {
  sources::ThreadHead& head = record.head;
  std::byte* const base = head.in.base;
  std::uint64_t done = 0;
  while (done < accesses && head.live.stop.load(kRelaxed) == 0 && !head.in.source->exhausted()) {
    head.in.source->refill(head.block, 0);
    const std::uint64_t n = std::min<std::uint64_t>(head.in.source->in_block(), accesses - done);
    if (n == 0) break;
    for (const sources::Access* at = head.block; at != head.block + n; ++at) {
      auto& word = *reinterpret_cast<std::uint32_t*>(base + at->offset_bytes());
      const auto value = static_cast<std::uint32_t>(at->v);
      if (!at->write())
        PlainAccess<Touch::load>::touch_word(word, value);
      else if (load_before_store)
        PlainAccess<Touch::update>::touch_word(word, value);
      else
        PlainAccess<Touch::store>::touch_word(word, value);
    }
    done += n;
    head.live.warmup_accesses.store(done, kRelaxed);
  }
  return done;
}

void measure_address_cost(sources::ThreadRecord& record) {
  constexpr int kPasses = 8, kBlocks = 16;
  constexpr std::uint64_t kAccesses = kBlocks * sources::kAccessBlock;
  auto& head = record.head;
  const std::uint64_t elapsed_ns = head.in.conversion.to_ns({head.live.last.load(kRelaxed) - head.in.begin}).v;
  std::uint64_t best_ns = std::numeric_limits<std::uint64_t>::max();
  for (int pass = 0; pass < kPasses; ++pass) {
    const std::uint64_t begin = base::monotonic_ns();
    for (int i = 0; i < kBlocks; ++i) {
      if (head.in.source->exhausted()) return;
      head.in.source->refill(head.block, elapsed_ns);
    }
    best_ns = std::min(best_ns, base::monotonic_ns() - begin);
    head.overhead_accesses += kAccesses;
    head.overhead_ns = static_cast<double>(best_ns) / static_cast<double>(kAccesses);
  }
}

}  // namespace fathom::paging::touch
