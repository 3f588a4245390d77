// The counting operator new of this test program; its own test is that it counts.
#include "paging/allocations.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <new>

#include "base/sanitized.h"

namespace {
std::atomic<std::uint64_t> allocations{0};
}

// Not inlined: g++ would see malloc() meet delete and warn.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* p = std::malloc(bytes ? bytes : 1)) return p;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return std::malloc(bytes ? bytes : 1);
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }

namespace fathom::paging {

std::uint64_t allocations_so_far() { return allocations.load(); }

namespace {

TEST(AllocationsSoFar, counts_each_operator_new) {
  if (FATHOM_TSAN) GTEST_SKIP() << "clang's ThreadSanitizer has an operator new of its own";
  const std::uint64_t before = allocations_so_far();
  const auto one = std::make_unique<int>(1);
  EXPECT_EQ(allocations_so_far(), before + 1);
}

}  // namespace
}  // namespace fathom::paging
