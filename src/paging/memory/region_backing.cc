// A new file has no name (open(2), O_TMPFILE; if the file system lacks that, it is unlinked at once). So it is removed
// with the process, however the process ends. Its length is sparse. Blocks to be written through a shared map are
// reserved: a full disk would cause SIGBUS during the run. The length of a user's file is never changed.
#include "paging/memory/region_backing.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>

#include "host/guards/guard.h"
#include "host/machine/huge_pages.h"
#include "host/proc/proc_text.h"
#include "host/proc/text_file.h"

namespace fathom::paging::memory {
namespace {

using base::Error;
using base::ErrorKind;
using base::system::UniqueFd;

std::string folder_of(const std::string& path) {
  const auto slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

bool is_folder(const std::string& path) {
  struct stat s {};
  return ::stat(path.c_str(), &s) == 0 && S_ISDIR(s.st_mode);
}

base::Expected<UniqueFd> make_nameless(const std::string& path) {
  const std::string folder = is_folder(path) ? path : folder_of(path);
  UniqueFd fd(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (fd) return fd;
  if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL) {
    return base::system_error("create a file in " + folder, errno);
  }
  const std::string name = folder + "/fathom-paging-" + std::to_string(::getpid());
  fd.reset(::open(name.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600));
  if (!fd) return base::system_error("make " + name, errno);
  ::unlink(name.c_str());
  return fd;
}

base::Expected<void> reserve_blocks(int fd, std::uint64_t bytes, const std::string& path) {
  struct statfs s {};
  if (::fstatfs(fd, &s) != 0 || s.f_type == TMPFS_MAGIC) return {};  // tmpfs would allocate the pages
  const std::uint64_t free_bytes = static_cast<std::uint64_t>(s.f_bavail) * static_cast<std::uint64_t>(s.f_bsize);
  const bool fits = bytes <= free_bytes;  // checked first, so that the disk is never full for other users
  if (fits && (::fallocate(fd, 0, 0, static_cast<off_t>(bytes)) == 0 || errno == EOPNOTSUPP)) return {};
  Error e = base::system_error("reserve " + std::to_string(bytes) + " bytes for the file of the map at " + path,
                               fits ? errno : ENOSPC);
  e.cause = std::to_string(free_bytes) + " bytes are free on its file system";
  e.help = "use a smaller set, or a file on another file system";
  return e;
}

base::Expected<UniqueFd> make_file(const RegionPlan& plan, std::uint64_t map_bytes, std::uint64_t set_bytes) {
  auto made = make_nameless(plan.file);
  if (!made) return made;
  if (::ftruncate(made->get(), static_cast<off_t>(map_bytes)) != 0) {
    return base::system_error("create a file of " + std::to_string(map_bytes) + " bytes at " + plan.file, errno);
  }
  if (plan.memory == Memory::file_shared) {
    auto reserved = reserve_blocks(made->get(), set_bytes, plan.file);
    if (!reserved) return reserved.error();
  }
  return made;
}

base::Expected<UniqueFd> open_existing(const RegionPlan& plan, UniqueFd fd, std::uint64_t set_bytes) {
  struct stat s {};
  if (::fstat(fd.get(), &s) != 0) return base::system_error("fstat " + plan.file, errno);
  if (!S_ISREG(s.st_mode)) {
    return Error{ErrorKind::usage,
                 plan.file + " is not a regular file",
                 "",
                 "name a file, or a directory to create a file in",
                 {},
                 0};
  }
  if (static_cast<std::uint64_t>(s.st_size) < set_bytes) {
    return Error{ErrorKind::usage,
                 plan.file + " is too short for the set",
                 "it has " + std::to_string(s.st_size) + " bytes, the set has " + std::to_string(set_bytes),
                 "use a smaller set, or name a file that does not exist: fathom creates and removes the file",
                 {},
                 0};
  }
  if (plan.memory == Memory::file_shared && plan.overwrite_file)
    if (auto may = host::guards::guard_write(plan.file, {}); !may) return may.error();
  if (plan.memory == Memory::file_shared && !plan.overwrite_file) {
    return Error{ErrorKind::refused,
                 plan.file + ": the file exists, and writes through a shared map would destroy its contents",
                 "",
                 "name a file that does not exist, map it privately, or allow it by --overwrite-file",
                 {},
                 0};
  }
  return fd;
}

base::Expected<UniqueFd> open_file(const RegionPlan& plan, std::uint64_t map_bytes, std::uint64_t set_bytes) {
  if (plan.file.empty()) {
    return Error{
        ErrorKind::usage, "file-backed memory: the file name is missing", "", "--memory=file-shared:PATH", {}, 0};
  }
  if (is_folder(plan.file)) return make_file(plan, map_bytes, set_bytes);
  const bool writes = plan.memory == Memory::file_shared && plan.overwrite_file;
  UniqueFd fd(::open(plan.file.c_str(), (writes ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NONBLOCK));
  if (fd) return open_existing(plan, std::move(fd), set_bytes);
  if (errno == ENOENT) return make_file(plan, map_bytes, set_bytes);
  return base::system_error("open " + plan.file, errno);
}

base::Expected<UniqueFd> make_memfd(std::uint64_t map_bytes) {
  UniqueFd fd(::memfd_create("fathom-paging", MFD_CLOEXEC));
  if (!fd) return base::system_error("memfd_create", errno);
  if (::ftruncate(fd.get(), static_cast<off_t>(map_bytes)) != 0) {
    return base::system_error("a memfd of " + std::to_string(map_bytes) + " bytes", errno);
  }
  return fd;
}

}  // namespace

base::Expected<UniqueFd> open_backing(const RegionPlan& plan, std::uint64_t map_bytes, std::uint64_t set_bytes) {
  switch (plan.memory) {
    case Memory::file_private:
    case Memory::file_shared:
      return open_file(plan, map_bytes, set_bytes);
    case Memory::memfd:
      return make_memfd(map_bytes);
    case Memory::anonymous:
    case Memory::hugetlb:
      break;
  }
  return UniqueFd();
}

base::Expected<void> check_backing(const RegionPlan& plan, std::uint64_t set_bytes) {
  if (plan.file.empty() || is_folder(plan.file)) return {};
  UniqueFd fd(::open(plan.file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd) return {};  // the code that maps it reports the cause
  const auto may = open_existing(plan, std::move(fd), set_bytes);
  return may ? base::Expected<void>() : base::Expected<void>(may.error());
}

std::uint64_t huge_page_bytes() {
  return host::proc::meminfo_bytes(host::proc::read_text("/proc/meminfo"), "Hugepagesize");
}

Error huge_pages_missing(std::uint64_t bytes, std::uint64_t page_bytes, int err) {
  const std::uint64_t wanted = bytes / page_bytes;
  const std::string what = "map " + std::to_string(wanted) + " huge pages of " + std::to_string(page_bytes) + " bytes";
  Error e = base::system_error(what, err);
  if (err != ENOMEM) return e;
  host::machine::HugePages pool;
  for (const auto& known : host::machine::huge_pages())
    if (known.page_bytes == page_bytes) pool = known;
  e.kind = base::ErrorKind::usage;
  e.cause = std::to_string(pool.free) + " are free, of them " + std::to_string(pool.promised) +
            " reserved for other processes; the kernel holds " + std::to_string(pool.total);
  e.help = "reserve them: sysctl vm.nr_hugepages=" +
           std::to_string(pool.total + wanted - std::min(wanted, pool.available())) + " (of the default size; else " +
           host::machine::huge_pages_folder(page_bytes) + "nr_hugepages)";
  return e;
}

}  // namespace fathom::paging::memory
