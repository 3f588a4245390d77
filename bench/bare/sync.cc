// bare_sync psync|pvsync2|mmap FILE SECONDS: random 4 KiB reads, one call (or one copy from the mapping) an I/O.
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "bare.h"

namespace {

template <class Read>
int reads(const bare::File& file, double seconds, Read&& read_at) {
  fathom::base::Prng prng(1);
  return bare::measure(seconds, [&](volatile sig_atomic_t& stop) {
    std::uint64_t ios = 0;
    while (!stop) {
      if (read_at(prng.below(file.blocks) * bare::kBlock) != static_cast<ssize_t>(bare::kBlock)) bare::fail("read");
      ++ios;
    }
    return ios;
  });
}

const char* map(const bare::File& file) {
  const std::size_t length = file.blocks * bare::kBlock;
  void* data = ::mmap(nullptr, length, PROT_READ, MAP_SHARED, file.fd, 0);
  if (data == MAP_FAILED || ::posix_madvise(data, length, POSIX_MADV_RANDOM) != 0) bare::fail("mmap");
  return static_cast<const char*>(data);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const bare::File file(argv[2]);
  const double seconds = std::atof(argv[3]);
  char* const buffer = bare::buffers(1);
  if (std::strcmp(argv[1], "psync") == 0)
    return reads(file, seconds,
                 [&](std::uint64_t at) { return ::pread(file.fd, buffer, bare::kBlock, static_cast<off_t>(at)); });
  if (std::strcmp(argv[1], "pvsync2") == 0)
    return reads(file, seconds, [&](std::uint64_t at) {
      const iovec vector{buffer, bare::kBlock};
      return ::preadv2(file.fd, &vector, 1, static_cast<off_t>(at), 0);
    });
  const char* const data = map(file);
  return reads(file, seconds, [&](std::uint64_t at) {
    std::memcpy(buffer, data + at, bare::kBlock);
    asm volatile("" : : "r"(buffer) : "memory");
    return static_cast<ssize_t>(bare::kBlock);
  });
}
