// cpuio: an I/O is a chunk of CPU time and moves no bytes. A chunk of noop has the length of cpuchunks=, and the loop's
// pause (thinktime) follows it. The duration of a chunk of qsort is not fixed: this engine derives the pause from it.
#include <time.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/prng.h"
#include "base/time.h"
#include "engine/parts.h"
#include "io/options/cpuio.h"

namespace fathom::engine {
namespace {

constexpr std::size_t kArrays = 4, kIntegers = std::size_t{256} * 1024;
constexpr std::uint64_t kLookAround_ns = 50'000'000;  // maximum time that a pause continues after the end of the job

struct Burner : CallState {
  io::CpuioOptions options;
  JobFacts job;
  std::array<std::vector<std::int32_t>, kArrays> arrays;
  base::Prng prng{1};
  std::uint64_t end_ns = 0;  // end of the runtime; 0: no runtime
};

base::Expected<void> prepare_cpuio(const Setup& setup, CallContext& context) {
  auto burner = std::make_unique<Burner>();
  burner->options = setup.options.of<io::CpuioOptions>();
  burner->job = setup.job;
  if (burner->options.mode == io::CpuMode::qsort)
    for (auto& array : burner->arrays) array.resize(kIntegers);
  context.own = std::move(burner);
  return {};
}

base::Expected<void> begin_cpuio(CallContext& context) {
  Burner& burner = context.state<Burner>();
  if (burner.job.runtime_ns != 0) burner.end_ns = base::monotonic_ns() + burner.job.runtime_ns;
  return {};
}

void spin(std::uint64_t ns) {
  const std::uint64_t end = base::monotonic_ns() + ns;
  while (base::monotonic_ns() < end) asm volatile("");
}

int ascending(const void* a, const void* b) {
  const auto x = *static_cast<const std::int32_t*>(a), y = *static_cast<const std::int32_t*>(b);
  return x < y ? -1 : x > y;
}

void sort_anew(Burner& burner) {
  for (auto& array : burner.arrays) {
    for (auto& v : array) v = static_cast<std::int32_t>(burner.prng.next());
    std::qsort(array.data(), array.size(), sizeof array[0], ascending);
  }
}

void pause_between(const Burner& burner, std::uint64_t ns) {
  for (const std::uint64_t end = base::monotonic_ns() + ns;;) {
    const std::uint64_t now = base::monotonic_ns();
    if (now >= end || burner.job.stopped() || (burner.end_ns != 0 && now >= burner.end_ns)) return;
    const timespec rest{0, static_cast<long>(std::min(end - now, kLookAround_ns))};
    ::nanosleep(&rest, nullptr);
  }
}

std::int32_t cpuio_io(CallContext& context, const io::Request&, std::byte*) {
  Burner& burner = context.state<Burner>();
  if (burner.options.mode == io::CpuMode::noop) {
    spin(burner.options.chunk_us * 1000);
    return kNothingMoved;
  }
  const std::uint64_t begin = base::monotonic_ns();
  sort_anew(burner);
  pause_between(burner, io::cpu_pause_ns(base::monotonic_ns() - begin, burner.options.load_percent));
  return kNothingMoved;
}

}  // namespace

const Calls cpuio_calls{cpuio_io, prepare_cpuio, nullptr, begin_cpuio};

}  // namespace fathom::engine
