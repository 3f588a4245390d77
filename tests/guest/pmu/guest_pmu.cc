// Runs in the guest of pmu/: `guest_pmu phase DEVICE PERIOD_MS SECONDS` reads for half a period and writes for
// the other half, in step with the clock, so that a counter shared out in slots of half a period sees nothing but reads
// or nothing but writes. Prints how many bytes went each way.
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

constexpr std::size_t kBlockBytes = 16384;
constexpr off_t kAreaBytes = 64 << 20;

std::uint64_t now_ns() {
  timespec t{};
  ::clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(t.tv_nsec);
}

int phase_load(const char* device, std::uint64_t half_ns, std::uint64_t length_ns) {
  const int fd = ::open(device, O_RDWR | O_DIRECT);
  void* const memory = std::aligned_alloc(4096, kBlockBytes);
  if (fd < 0 || memory == nullptr) return std::perror(device), 1;
  std::memset(memory, 0x5a, kBlockBytes);
  std::uint64_t read_bytes = 0, write_bytes = 0;
  off_t at = 0;
  for (const std::uint64_t begun = now_ns(); now_ns() - begun < length_ns; at = (at + kBlockBytes) % kAreaBytes) {
    const bool reads = (now_ns() - begun) / half_ns % 2 == 0;
    const ssize_t done = reads ? ::pread(fd, memory, kBlockBytes, at) : ::pwrite(fd, memory, kBlockBytes, at);
    if (done != static_cast<ssize_t>(kBlockBytes)) return std::perror("transfer"), 1;
    (reads ? read_bytes : write_bytes) += kBlockBytes;
  }
  std::printf("phase_load read %llu write %llu\n", static_cast<unsigned long long>(read_bytes),
              static_cast<unsigned long long>(write_bytes));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5 || std::string(argv[1]) != "phase") return std::puts("guest_pmu phase DEVICE PERIOD_MS SECONDS"), 2;
  return phase_load(argv[2], static_cast<std::uint64_t>(std::atof(argv[3]) * 5e5),
                    static_cast<std::uint64_t>(std::atof(argv[4]) * 1e9));
}
