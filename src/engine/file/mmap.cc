// mmap: copies from or to a shared mapping of the part of the target that the job may touch. There is one mapping per
// target, created at open. With direct=1 it does what fio does: it writes the touched pages back after every copy
// (msync). This is not direct I/O, but makes a write reach the device. A request beyond the end of the mapping is
// truncated, as read() does. A request that meets a missing page fails with EIO (mapped_faults.h).
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "engine/file/mapped_faults.h"
#include "engine/file_ops.h"
#include "engine/parts.h"
#include "io/options/mmap.h"

namespace fathom::engine {
namespace {

std::uint64_t page_size() {
  static const auto size = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return size;
}

// The job's part of the target, from a page boundary, or all of it if no part is given. It never extends past the end.
Mapping part_of(const io::Target& target) {
  Mapping m;
  m.file_offset = std::min(target.start, target.size) & ~(page_size() - 1);
  const std::uint64_t end = target.length ? std::min(target.size, target.start + target.length) : target.size;
  m.length = end > m.file_offset ? end - m.file_offset : 0;
  return m;
}

base::Expected<Mapping> map_target(const io::Target& target, const io::EngineOptions& options) {
  Mapping m = part_of(target);
  if (m.length == 0) return m;
  m.protection = options.has_writes ? PROT_READ | PROT_WRITE : PROT_READ;
  const bool thp = options.of<io::MmapOptions>().thp;
  const int sharing = thp ? MAP_PRIVATE : MAP_SHARED;
  void* data = ::mmap(nullptr, m.length, m.protection, sharing, target.fd, static_cast<off_t>(m.file_offset));
  if (data == MAP_FAILED)
    return base::system_error(fmt::format("mmap {} ({} bytes at {})", target.path, m.length, m.file_offset), errno);
  m.data = static_cast<std::byte*>(data);
  // A kernel without huge pages refuses the advice. The mapping then remains as it is.
  if (thp) ::madvise(data, m.length, MADV_HUGEPAGE);
  const int advice = options.random ? POSIX_MADV_RANDOM : POSIX_MADV_SEQUENTIAL;
  if (const int err = ::posix_madvise(data, m.length, advice); err != 0) {
    ::munmap(data, m.length);
    return base::system_error(fmt::format("madvise {}", target.path), err);
  }
  return m;
}

std::int32_t write_back(std::byte* data, std::size_t length) {
  const auto misalignment = reinterpret_cast<std::uintptr_t>(data) & (page_size() - 1);
  return ::msync(data - misalignment, length + misalignment, MS_SYNC) == 0 ? 0 : -errno;
}

// The number of the request's bytes inside the mapping.
std::size_t within(const Mapping& m, const io::Request& request) {
  if (request.offset < m.file_offset || request.offset - m.file_offset >= m.length) return 0;
  return std::min<std::size_t>(request.length, m.length - (request.offset - m.file_offset));
}

// Handles direct=1, and a missing page. In the second case the I/O has failed. The page is mapped to the file again, so
// that the next access to it fails as well.
std::int32_t finish_copy(CallContext& context, const io::Request& request, std::byte* data, std::size_t n) {
  if (context.after_copy & file::kPageMissing) {
    context.after_copy &= static_cast<std::uint8_t>(~file::kPageMissing);
    file::map_again(context.mappings[request.target], context.targets[request.target].fd, data, n);
    return -EIO;
  }
  const std::int32_t rc = write_back(data, n);
  return rc < 0 ? rc : static_cast<std::int32_t>(n);
}

base::Expected<void> prepare_mmap(const Setup& setup, CallContext& context) {
  context.after_copy = context.direct ? file::kWriteBack : 0;
  context.mappings.reserve(setup.targets.size());
  for (const io::Target& target : setup.targets) {
    auto mapping = map_target(target, setup.options);
    if (!mapping) return mapping.error();
    context.mappings.push_back(*mapping);
  }
  file::watch_faults(context);
  return {};
}

std::int32_t mmap_io(CallContext& context, const io::Request& request, std::byte* buffer) {
  const Mapping& m = context.mappings[request.target];
  if (request.dir == io::Dir::trim) return trim_range(context.targets[request.target], request);
  if (request.dir == io::Dir::sync && (request.flags & io::kRangeSyncMask) != 0)
    return sync_file(context.targets[request.target].fd, request);
  if (request.dir == io::Dir::sync) return m.length ? write_back(m.data, m.length) : 0;
  const std::size_t n = within(m, request);
  if (n == 0) return 0;
  std::byte* data = m.data + (request.offset - m.file_offset);
  if (request.dir == io::Dir::read) {
    std::memcpy(buffer, data, n);
  } else {
    std::memcpy(data, buffer, n);
  }
  std::atomic_signal_fence(std::memory_order_seq_cst);  // the SIGBUS handler may have run; generates no instruction
  if (context.after_copy != 0) return finish_copy(context, request, data, n);
  return static_cast<std::int32_t>(n);
}

void release_mmap(CallContext& context) {
  file::forget_faults(context);
  for (const Mapping& m : context.mappings)
    if (m.data) ::munmap(m.data, m.length);
  context.mappings.clear();
}

}  // namespace

const Calls mmap_calls{mmap_io, prepare_mmap, release_mmap};

}  // namespace fathom::engine
