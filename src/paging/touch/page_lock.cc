// mlockall(2) for pages as they are touched, and mlock(2) for pages that must exist before. MCL_CURRENT alone would
// fetch every page of every mapping. That includes the parent's mappings, with the 8 MiB stacks that the C library
// keeps of ended threads. They would be copied into the child and charged to its cgroup, more with each repetition of a
// run.
#include "paging/touch/page_lock.h"

#include <link.h>
#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

#include "host/proc/text_file.h"

namespace fathom::paging::touch {
namespace {

// Locks code and data of the program and its libraries. Their written parts are copied here and now.
int lock_segments(dl_phdr_info* object, std::size_t, void* failed) {
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    const auto begin = (object->dlpi_addr + segment.p_vaddr) & ~(sources::kPage - 1);
    const auto end = object->dlpi_addr + segment.p_vaddr + segment.p_memsz;
    if (::mlock(reinterpret_cast<const void*>(begin), end - begin) != 0) *static_cast<int*>(failed) = errno;
  }
  return 0;
}

}  // namespace

Locked lock_pages(std::span<sources::ThreadRecord> records, std::span<const std::span<const std::byte>> others,
                  int& error) {
  error = 0;
  const bool on_fault = ::mlockall(MCL_CURRENT | MCL_ONFAULT) == 0;
  if (!on_fault) error = errno;
  if (::mlock(records.data(), records.size_bytes()) != 0) {
    error = errno;
    return Locked::none;
  }
  for (const auto& memory : others) {
    if (::mlock(memory.data(), memory.size()) == 0) continue;
    error = errno;
    return Locked::records;
  }
  if (on_fault) ::dl_iterate_phdr(lock_segments, &error);
  return error == 0 ? Locked::all : Locked::measurement;
}

void keep_where_it_is() {
  const std::string maps = host::proc::read_text("/proc/self/maps");
  for (std::string_view rest = maps; !rest.empty();) {
    const auto line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    std::uint64_t begin = 0, end = 0;
    const char* const last = line.data() + line.size();
    const auto first = std::from_chars(line.data(), last, begin, 16);
    if (first.ec != std::errc() || first.ptr == last) continue;
    const auto second = std::from_chars(first.ptr + 1, last, end, 16);
    const auto access = std::string_view(second.ptr, static_cast<std::size_t>(last - second.ptr));
    if (access.substr(0, 3) != " rw") continue;
    ::syscall(SYS_mbind, begin, end - begin, MPOL_LOCAL, nullptr, 0ul, 0u);
  }
}

void prefault(std::span<sources::ThreadRecord> records) {
  const auto pages = std::as_writable_bytes(records);
  for (std::size_t at = 0; at < pages.size(); at += sources::kPage) {
    volatile std::byte& byte = pages[at];
    byte = std::byte{0};
  }
}

}  // namespace fathom::paging::touch
