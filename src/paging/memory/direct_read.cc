// Skips the first page: it has the header of the swap, and no page fault reads it later.
#include "paging/memory/direct_read.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <memory>

#include "base/prng.h"
#include "base/system/fd.h"
#include "clock/sources/source.h"

namespace fathom::paging::memory {
namespace {

constexpr std::uint64_t kReadPage = 4096;

struct Freed {
  void operator()(void* memory) const { std::free(memory); }
};

std::uint64_t now_ns() { return clock::sources::MonotonicRawClock::now().v; }

bool all_zero(const std::uint64_t* page) {
  return std::all_of(page, page + kReadPage / sizeof *page, [](std::uint64_t word) { return word == 0; });
}

}  // namespace

base::Expected<result::DeviceTime> direct_reads(const DirectReadPlan& plan) {
  const base::system::UniqueFd fd(::open(plan.path.c_str(), O_RDONLY | O_DIRECT | O_CLOEXEC));
  if (!fd) return base::system_error("open " + plan.path + " for direct reads", errno);
  const auto end = static_cast<std::uint64_t>(std::max<off_t>(0, ::lseek(fd.get(), 0, SEEK_END)));
  const std::uint64_t pages = (plan.size_bytes == 0 ? end : std::min(end, plan.size_bytes)) / kReadPage;
  result::DeviceTime time;
  time.device = plan.disk;
  time.by = "direct reads";
  if (pages < 2) {
    time.cause = plan.path + " has no page to read";
    return time;
  }
  const std::unique_ptr<std::uint64_t, Freed> page(
      static_cast<std::uint64_t*>(std::aligned_alloc(kReadPage, kReadPage)));
  stats::RawHistogram histogram{};
  base::Prng prng(plan.seed);
  const std::uint64_t until_ns = now_ns() + static_cast<std::uint64_t>(plan.seconds * 1e9);
  std::uint64_t tried = 0;
  for (; tried < plan.most_reads; ++tried) {
    if (now_ns() >= until_ns) break;
    const auto place = static_cast<off_t>((1 + prng.below(pages - 1)) * kReadPage);
    const std::uint64_t start = now_ns();
    const auto got = ::pread(fd.get(), page.get(), kReadPage, place);
    const std::uint64_t ns = now_ns() - start;
    if (got != static_cast<ssize_t>(kReadPage))
      return base::system_error("read " + plan.path + " directly", got < 0 ? errno : EIO);
    if (all_zero(page.get())) continue;
    time.read_ns.moments_ns.add(ns);
    histogram.add(ns);
  }
  time.read_ns.histogram_ns = stats::Histogram(histogram);
  time.read_bytes = time.read_ns.moments_ns.n * kReadPage;
  time.seen_share = tried == 0 ? 0 : static_cast<double>(time.read_ns.moments_ns.n) / static_cast<double>(tried);
  if (time.read_bytes == 0)
    time.cause = "none of " + std::to_string(tried) + " pages read at random holds data: nothing is swapped to it";
  return time;
}

}  // namespace fathom::paging::memory
