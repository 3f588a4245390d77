// A process whose use of memory is known: pages by Zipf's law in a scattered order, so many reads, a hot set that takes
// another place every so often, a set number of accesses a second. load PAGES THETA READ% MOVE_S SECONDS ACCESSES_PER_S
// [SEED] Ends with status 3, so that a test sees that the status came through.
#include <sys/mman.h>
#include <time.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "base/prng.h"
#include "pattern/draws/zipf.h"
#include "pattern/permutation.h"

namespace {

constexpr std::size_t kPage = 4096;

double now_s() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 7 && argc != 8) return 2;
  const std::size_t pages = std::strtoul(argv[1], nullptr, 10);
  const double theta = std::atof(argv[2]), reads = std::atof(argv[3]) / 100, move_s = std::atof(argv[4]);
  const double seconds = std::atof(argv[5]), rate = std::atof(argv[6]);
  fathom::base::Prng random(argc == 8 ? std::strtoull(argv[7], nullptr, 10) : 1);
  const fathom::pattern::draws::Zipf zipf(theta > 0 ? theta : 1, pages);
  const fathom::pattern::Permutation place(pages, 7);
  void* memory = mmap(nullptr, pages * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 2;
  madvise(memory, pages * kPage, MADV_NOHUGEPAGE);
  auto* bytes = static_cast<volatile char*>(memory);
  for (std::size_t p = 0; p < pages; ++p) bytes[p * kPage] = 1;
  std::puts("ready");
  std::fflush(stdout);
  const double begin = now_s();
  std::uint64_t done = 0;
  std::size_t moved = 0;
  for (double now = begin; now < begin + seconds; now = now_s()) {
    const auto due = static_cast<std::uint64_t>((now - begin) * rate);
    for (; done < due; ++done) {
      const std::size_t rank = theta > 0 ? zipf(random) : random.below(pages);
      const std::size_t page = place((rank + moved) % pages);
      if (random.unit() < reads)
        (void)bytes[page * kPage];
      else
        bytes[page * kPage] = static_cast<char>(done);
    }
    if (move_s > 0) moved = static_cast<std::size_t>((now - begin) / move_s) * (pages / 3);
    const timespec pause{0, 500000};
    nanosleep(&pause, nullptr);
  }
  std::printf("accesses %llu\n", static_cast<unsigned long long>(done));
  return 3;
}
