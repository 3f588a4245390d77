// The policy is "preferred", not "bind": a fault without a free huge page on a bound node kills the process with
// SIGBUS. For the same reason, madvise(MADV_POPULATE_WRITE) populates the pages: it returns an error instead. Two
// system calls replace libnuma.
#include "nvme/vfio/pages.h"

#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <optional>

#include "nvme/pci/setup.h"

namespace fathom::nvme::vfio {
namespace {

constexpr int kPopulateWrite = 23;  // MADV_POPULATE_WRITE (Linux 5.14), which older headers lack
constexpr int kNodesMax = 1024;

void prefer_node(void* memory, std::size_t bytes, int node) {
  if (node < 0 || node >= kNodesMax) return;
  unsigned long mask[kNodesMax / 64] = {};
  mask[node / 64] = 1ul << (node % 64);
  ::syscall(SYS_mbind, memory, bytes, MPOL_PREFERRED, mask, kNodesMax + 1, 0);
}

int node_of(void* memory) {
  int node = -1;
  return ::syscall(SYS_get_mempolicy, &node, nullptr, 0, memory, MPOL_F_NODE | MPOL_F_ADDR) == 0 ? node : -1;
}

bool populate(std::byte* memory, std::size_t bytes) {
  if (::madvise(memory, bytes, kPopulateWrite) == 0) return true;
  if (errno != EINVAL) return false;
  for (std::size_t at = 0; at < bytes; at += 4096) *static_cast<volatile std::byte*>(memory + at) = std::byte{0};
  return true;
}

std::optional<Pages> try_pages(std::size_t bytes, int node, bool huge) {
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | (huge ? MAP_HUGETLB | (21 << MAP_HUGE_SHIFT) : 0);
  void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (memory == MAP_FAILED) return std::nullopt;
  Pages pages{.memory = static_cast<std::byte*>(memory), .bytes = bytes, .huge = huge, .shortcoming = ""};
  prefer_node(memory, bytes, node);
  if (!populate(pages.memory, bytes)) {
    give_back(pages);
    return std::nullopt;
  }
  ::madvise(memory, bytes, MADV_DONTFORK);
  return pages;
}

std::string remedy(std::size_t bytes, int node) {
  return "`" + pci::huge_pages_command(pci::Sysfs(), bytes, node) + "` reserves enough";
}

}  // namespace

base::Expected<Pages> take_pages(std::size_t bytes, int node) {
  const std::size_t count = (bytes + kHugePageBytes - 1) / kHugePageBytes;
  std::optional<Pages> pages = try_pages(count * kHugePageBytes, node, true);
  if (!pages) {
    pages = try_pages(count * kHugePageBytes, node, false);
    if (!pages) return base::system_error("memory for the device: " + std::to_string(bytes) + " bytes", ENOMEM);
    pages->shortcoming = "no huge pages: the device uses pages of 4 KiB; " + remedy(pages->bytes, node);
  }
  const int there = node < 0 ? node : node_of(pages->memory);
  if (there != node && there >= 0 && pages->shortcoming.empty())
    pages->shortcoming = "huge pages of NUMA node " + std::to_string(there) + ", the device is on node " +
                         std::to_string(node) + "; " + remedy(pages->bytes, node);
  return *std::move(pages);
}

void give_back(const Pages& pages) { ::munmap(pages.memory, pages.bytes); }

}  // namespace fathom::nvme::vfio
