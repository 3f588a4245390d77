// Maps the kinds of buffer memory.
#include "workload/bytes/buffer_memory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/files/place.h"

namespace fathom::workload::bytes {
namespace {

constexpr std::size_t kHugePage = 2u << 20;
constexpr int kReadWrite = PROT_READ | PROT_WRITE;

std::size_t rounded_up(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

base::Error refused(const std::string& what, int err, bool huge) {
  base::Error e = base::system_error(what, err);
  if (huge && err == ENOMEM) {
    e.cause = "too few huge pages are free (HugePages_Free of /proc/meminfo)";
    e.help = "run `sysctl vm.nr_hugepages=N`, or write another mem=";
  }
  if (huge && err == EPERM) {
    e.cause = "huge pages of System V need CAP_IPC_LOCK, or the group of vm.hugetlb_shm_group";
    e.help = "run as root, or write mem=mmaphuge";
  }
  return e;
}

bool is_hugetlbfs(int fd) {
  struct statfs system = {};
  return ::fstatfs(fd, &system) == 0 && system.f_type == HUGETLBFS_MAGIC;
}

// A private mapping does not change the file, so a file that is too short is refused.
base::Error too_short(const char* name, const std::string& file, std::size_t bytes) {
  base::Error e;
  e.kind = base::ErrorKind::refused;
  e.what = fmt::format("mem={}: `{}` is too short", name, file);
  e.cause = fmt::format("the file is not empty, and smaller than the {} bytes of the buffers", bytes);
  e.help = "name an empty file, or a file that is long enough";
  return e;
}

}  // namespace

void MappedMemory::take(void* memory, std::size_t bytes) {
  data_ = static_cast<std::byte*>(memory);
  bytes_ = bytes;
}

base::Expected<void> MappedMemory::map_anonymous(std::size_t bytes, unsigned flags) {
  const int all = MAP_PRIVATE | MAP_ANONYMOUS | static_cast<int>(flags);
  void* memory = ::mmap(nullptr, bytes, kReadWrite, all, -1, 0);
  if (memory == MAP_FAILED) return refused("map the I/O buffers", errno, flags != 0);
  take(memory, bytes);
  return {};
}

base::Expected<void> MappedMemory::map_segment(std::size_t bytes, bool huge) {
  const int id = ::shmget(IPC_PRIVATE, bytes, IPC_CREAT | 0600 | (huge ? SHM_HUGETLB : 0));
  if (id < 0) return refused("shmget for the I/O buffers", errno, huge);
  void* memory = ::shmat(id, nullptr, 0);
  const int err = errno;
  ::shmctl(id, IPC_RMID, nullptr);
  if (memory == reinterpret_cast<void*>(-1)) return refused("shmat of the I/O buffers", err, huge);  // NOLINT
  take(memory, bytes);
  segment_ = true;
  return {};
}

// A regular file that is too small is extended. Access to pages beyond its end would end the process with SIGBUS.
base::Expected<void> MappedMemory::map_file(const job::fields::BufferMemory& kind, std::size_t bytes, int flags) {
  const bool huge = kind.kind == job::fields::MemoryKind::mmaphuge;
  const char* const name = huge ? "mmaphuge" : kind.kind == job::fields::MemoryKind::mmapshared ? "mmapshared" : "mmap";
  const auto what = fmt::format("mem={}: map `{}`", name, kind.file);
  base::files::NamedFiles none;
  auto place = base::files::look_at({fmt::format("mem={}", name), kind.file, nullptr, true, true}, none);
  if (!place) {
    if (huge && place.error().help.empty())
      place.error().help = "name a file on a mount of hugetlbfs that you may write to";
    return place.error();
  }
  const bool at_a_name =
      place->kind == base::files::PlaceKind::missing || place->kind == base::files::PlaceKind::regular;
  base::system::UniqueFd fd(
      at_a_name ? ::openat(place->directory.get(), place->name.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644)
                : ::open(kind.file.c_str(), O_RDWR | O_CLOEXEC));
  struct stat st {};
  if (!fd || ::fstat(fd.get(), &st) != 0) {
    auto e = base::system_error(what, errno);
    e.help = huge ? "name a file on a mount of hugetlbfs that you may write to" : "name a file that you may write to";
    return e;
  }
  const bool lengthen = S_ISREG(st.st_mode) && static_cast<std::size_t>(st.st_size) < bytes;
  if (lengthen && st.st_size > 0 && kind.kind != job::fields::MemoryKind::mmapshared && !is_hugetlbfs(fd.get()))
    return too_short(name, kind.file, bytes);
  if (lengthen && ::ftruncate(fd.get(), static_cast<off_t>(bytes)) != 0) return base::system_error(what, errno);
  void* memory = ::mmap(nullptr, bytes, kReadWrite, flags, fd.get(), 0);
  if (memory == MAP_FAILED) return refused(what, errno, huge);
  take(memory, bytes);
  return {};
}

bool MappedMemory::map_file_in_memory(std::size_t bytes, unsigned flags) {
  base::system::UniqueFd fd(::memfd_create("fathom buffers", MFD_CLOEXEC | MFD_ALLOW_SEALING | flags));
  if (!fd || ::ftruncate(fd.get(), static_cast<off_t>(bytes)) != 0) return false;
  // Without the seal, a device in another process could shrink the file, and SIGBUS would end this process.
  if (::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) return false;
  void* memory = ::mmap(nullptr, bytes, kReadWrite, MAP_SHARED, fd.get(), 0);
  if (memory == MAP_FAILED) return false;
  take(memory, bytes);
  fd_ = std::move(fd);
  return true;
}

base::Expected<void> MappedMemory::map_for_device(std::size_t bytes) {
  if (map_file_in_memory(rounded_up(bytes, kHugePage), MFD_HUGETLB) || map_file_in_memory(bytes, 0)) return {};
  return base::system_error("map the I/O buffers", errno);
}

base::Expected<MappedMemory> MappedMemory::make(const job::fields::BufferMemory& kind, std::size_t bytes, bool shared) {
  using job::fields::MemoryKind;
  MappedMemory memory;
  const std::size_t huge = rounded_up(bytes, kind.huge_page_bytes);
  const auto map = [&]() -> base::Expected<void> {
    if (shared) return memory.map_for_device(bytes);
    switch (kind.kind) {
      case MemoryKind::shm:
        return memory.map_segment(bytes, false);
      case MemoryKind::shmhuge:
        return memory.map_segment(huge, true);
      case MemoryKind::mmaphuge:
        return kind.file.empty() ? memory.map_anonymous(huge, MAP_HUGETLB) : memory.map_file(kind, huge, MAP_PRIVATE);
      case MemoryKind::mmapshared:
        return memory.map_file(kind, bytes, MAP_SHARED);
      case MemoryKind::mmap:
        if (!kind.file.empty()) return memory.map_file(kind, bytes, MAP_PRIVATE);
        break;
      case MemoryKind::malloc:
        break;
    }
    return memory.map_anonymous(bytes, 0);
  };
  if (auto ok = map(); !ok) return ok.error();
  return memory;
}

MappedMemory::MappedMemory(MappedMemory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)),
      segment_(other.segment_),
      fd_(std::move(other.fd_)) {}

MappedMemory& MappedMemory::operator=(MappedMemory&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  std::swap(segment_, other.segment_);
  std::swap(fd_, other.fd_);
  return *this;
}

MappedMemory::~MappedMemory() {
  if (data_ == nullptr) return;
  if (segment_)
    ::shmdt(data_);
  else
    ::munmap(data_, bytes_);
}

}  // namespace fathom::workload::bytes
