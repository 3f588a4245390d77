// After open() no engine allocates: not in post, ring or reap, in any direction.
#include <atomic>
#include <cstdlib>
#include <new>

#include "bench.h"

namespace {
std::atomic<std::uint64_t> allocations{0};
}  // namespace

// Not inlined: g++ would see malloc() meet delete and warn.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* p = std::malloc(size ? size : 1)) return p;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }

namespace fathom::engine::test {
namespace {

// Those that take every direction, of which posixaio's C library allocates by itself.
bool quiet(const Info& i) { return (i.needs_files ? i.keeps_data : i.trims) && i.name != "posixaio"; }

class EngineAllocation : public ::testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Engines, EngineAllocation, ::testing::ValuesIn(cases(quiet)), case_name);

TEST_P(EngineAllocation, NoEngineAllocatesAfterOpen) {
  const std::uint32_t depth = GetParam().info().asynchronous ? 16 : 1;
  const TempFile file(64 * kBlock);
  std::vector<io::Target> targets;
  if (GetParam().info().needs_files) targets.push_back(file.target());
  Bench bench(GetParam(), targets, depth);
  ASSERT_TRUE(bench.open());
  Box& box = bench.box();
  io::Completion out[16];
  std::uint64_t done = 0, refused = 0;
  const std::uint64_t before = allocations;
  for (std::uint32_t round = 0; round < 64; ++round) {
    for (std::uint32_t slot = 0; slot < depth; ++slot) {
      io::Request r = request(static_cast<io::Dir>((round + slot) % 4), (round + slot) % 64 * kBlock);
      if (r.dir == io::Dir::sync) r = sync_request(true);
      if (round % 8) r = request(io::Dir::read, r.offset);  // a sync takes its time
      box.post(slot, r, bench.buffer(slot));
    }
    for (std::uint32_t taken = 0; taken < depth;) taken += static_cast<std::uint32_t>(box.ring());
    for (std::uint32_t reaped = 0; reaped < depth;) {
      const int n = box.reap(1, out);
      for (int i = 0; i < n; ++i) refused += out[i].result < 0;
      reaped += static_cast<std::uint32_t>(n);
      done += static_cast<std::uint64_t>(n);
    }
  }
  EXPECT_EQ(allocations - before, 0u);
  EXPECT_EQ(done, 64u * depth);
  EXPECT_EQ(refused, 0u);
}

}  // namespace
}  // namespace fathom::engine::test
