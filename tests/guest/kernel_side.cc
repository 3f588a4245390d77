// The same namespaces through the kernel's own nvme driver: with direct I/O, so that no cached page answers for the
// disk.
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include "base/system/fd.h"
#include "guest/checks.h"
#include "guest/pattern.h"

namespace fathom::guest {
namespace {

constexpr std::size_t kPiece = 1 << 20;

struct Free {
  void operator()(std::byte* memory) const { std::free(memory); }
};

std::unique_ptr<std::byte, Free> aligned_piece() {
  return std::unique_ptr<std::byte, Free>(static_cast<std::byte*>(std::aligned_alloc(4096, kPiece)));
}

// "/dev/nvme0n2" -> 2
std::uint32_t nsid_of(const std::string& device) { return static_cast<std::uint32_t>(device.back() - '0'); }

}  // namespace

int fill_through_kernel(const std::string& device) {
  const base::system::UniqueFd fd(::open(device.c_str(), O_WRONLY | O_DIRECT));
  const auto piece = aligned_piece();
  fill_pattern(piece.get(), kKernelBytes, kKernelWrote, nsid_of(device));
  const bool good = fd && ::pwrite(fd.get(), piece.get(), kKernelBytes, kKernelWrote) == kKernelBytes;
  return result("filled_" + std::to_string(nsid_of(device)), good, std::strerror(errno)) ? 0 : 1;
}

int compare_through_kernel(const std::string& device) {
  const base::system::UniqueFd fd(::open(device.c_str(), O_RDONLY | O_DIRECT));
  const auto piece = aligned_piece();
  std::size_t right = 0;
  while (fd && right < kArea) {
    if (::pread(fd.get(), piece.get(), kPiece, static_cast<off_t>(right)) != static_cast<ssize_t>(kPiece)) break;
    const std::size_t here = matching(piece.get(), kPiece, right, nsid_of(device));
    right += here;
    if (here < kPiece) break;
  }
  return result("kernel_reads_same_" + std::to_string(nsid_of(device)), right == kArea, std::to_string(right)) ? 0 : 1;
}

}  // namespace fathom::guest
