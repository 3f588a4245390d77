// The system calls of machine.h. swapon(2), capabilities(7); sysfs requires a value in one write.
#include "paging/pressure/machine.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/capability.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/swap.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "base/text/parse.h"
#include "base/time.h"
#include "host/guards/guard.h"
#include "host/machine/rights.h"
#include "host/proc/text_file.h"

namespace fathom::paging::pressure {
namespace {

int result_of(int rc) { return rc == 0 ? 0 : errno; }

int write_whole(int fd, const void* data, std::size_t bytes) {
  const ssize_t n = ::write(fd, data, bytes);
  if (n < 0) return errno;
  return static_cast<std::size_t>(n) == bytes ? 0 : EIO;
}

std::uint64_t nanoseconds(std::int64_t s, std::uint64_t ns) {
  return static_cast<std::uint64_t>(s) * 1'000'000'000 + ns;
}

}  // namespace

std::optional<std::string> LiveMachine::read(const std::string& path) {
  const base::system::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd) return std::nullopt;
  std::string text;
  char buffer[4096];
  for (;;) {
    const ssize_t n = ::read(fd.get(), buffer, sizeof buffer);
    if (n < 0) return std::nullopt;
    if (n == 0) return text;
    text.append(buffer, static_cast<std::size_t>(n));
  }
}

std::vector<std::string> LiveMachine::list(const std::string& path) { return host::proc::list_names(path); }

bool LiveMachine::exists(const std::string& path) {
  struct stat st {};
  return ::lstat(path.c_str(), &st) == 0;
}

bool LiveMachine::writable(const std::string& path) {
  return ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0;
}

std::optional<FileId> LiveMachine::identify(const std::string& path) {
  struct statx st {};
  if (::statx(AT_FDCWD, path.c_str(), AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS | STATX_BTIME, &st) != 0)
    return std::nullopt;
  const bool has_birth = (st.stx_mask & STATX_BTIME) != 0;
  const auto ns = [](const struct statx_timestamp& t) { return nanoseconds(t.tv_sec, t.tv_nsec); };
  return FileId{::makedev(st.stx_dev_major, st.stx_dev_minor),
                st.stx_ino,
                st.stx_size,
                ::makedev(st.stx_rdev_major, st.stx_rdev_minor),
                has_birth ? ns(st.stx_btime) : 0,
                st.stx_mode,
                st.stx_uid,
                ns(st.stx_ctime)};
}

std::vector<std::byte> LiveMachine::read_page(const std::string& path) {
  std::vector<std::byte> page(static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)));
  const base::system::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd || ::pread(fd.get(), page.data(), page.size(), 0) != static_cast<ssize_t>(page.size())) return {};
  return page;
}

bool LiveMachine::administrator() { return host::machine::own_rights().has(CAP_SYS_ADMIN); }

std::optional<std::string> LiveMachine::real_path(const std::string& path) {
  char* resolved = ::realpath(path.c_str(), nullptr);
  if (resolved == nullptr) return std::nullopt;
  std::string text = resolved;
  ::free(resolved);  // NOLINT(cppcoreguidelines-no-malloc): realpath(3) allocates it
  return text;
}

base::Expected<void> LiveMachine::may_claim(const std::string& path) { return host::guards::guard_use(path); }

base::Expected<void> LiveMachine::may_overwrite(const std::string& path, const std::vector<std::string>& allowed) {
  host::guards::GuardOptions options;
  options.allow_destructive.insert(allowed.begin(), allowed.end());
  return host::guards::guard_write(path, options);
}

std::uint32_t LiveMachine::own_user() { return ::geteuid(); }

std::uint64_t LiveMachine::now_ns() { return base::epoch_ns(); }

void LiveMachine::pause_ms(unsigned ms) { ::usleep(ms * 1000); }

int LiveMachine::own_pid() { return ::getpid(); }

std::uint64_t LiveMachine::own_pid_namespace() {
  struct stat s;
  return ::stat("/proc/self/ns/pid", &s) == 0 ? s.st_ino : 0;
}

base::system::UniqueFd LiveMachine::lock(const std::string& path) {
  base::system::UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd) return {};
  int rc;
  while ((rc = ::flock(fd.get(), LOCK_EX)) != 0 && errno == EINTR) {
  }
  return rc == 0 ? std::move(fd) : base::system::UniqueFd();
}

bool LiveMachine::is_locked(const std::string& path) {
  const base::system::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  return fd && ::flock(fd.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

int LiveMachine::write(const std::string& path, const std::string& text) {
  const base::system::UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  return fd ? write_whole(fd.get(), text.data(), text.size()) : errno;
}

int LiveMachine::append(const std::string& path, const std::string& text) {
  const base::system::UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
  return fd ? write_whole(fd.get(), text.data(), text.size()) : errno;
}

int LiveMachine::make_directory(const std::string& path) { return result_of(::mkdir(path.c_str(), 0700)); }
int LiveMachine::remove_directory(const std::string& path) { return result_of(::rmdir(path.c_str())); }
int LiveMachine::remove_file(const std::string& path) { return result_of(::unlink(path.c_str())); }
int LiveMachine::kill(int pid) { return result_of(::kill(pid, SIGKILL)); }

int LiveMachine::swap_on(const std::string& path, int priority) {
  const int flags = priority < 0 ? 0 : SWAP_FLAG_PREFER | (priority & SWAP_FLAG_PRIO_MASK);
  return result_of(::swapon(path.c_str(), flags));
}

int LiveMachine::write_page(const std::string& path, const std::vector<std::byte>& page) {
  const base::system::UniqueFd fd(::open(path.c_str(), O_WRONLY | O_EXCL | O_CLOEXEC));
  if (!fd) return errno;
  if (const int err = write_whole(fd.get(), page.data(), page.size())) return err;
  return result_of(::fsync(fd.get()));
}

int LiveMachine::name_file(const UnnamedFile& file, const std::string& path) {
  char self[64];
  std::snprintf(self, sizeof self, "/proc/self/fd/%d", file.fd.get());
  return result_of(::linkat(AT_FDCWD, self, AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW));
}

std::optional<std::string> read_value(Machine& machine, const std::string& path) {
  const auto text = machine.read(path);
  if (!text) return std::nullopt;
  return std::string(base::text::trim(std::string_view(*text).substr(0, text->find('\n'))));
}

std::uint64_t block_device_bytes(Machine& machine, const std::string& path) {
  constexpr std::uint64_t kSectorBytes = 512;
  const auto real = machine.real_path(path);
  const auto id = real ? machine.identify(*real) : std::nullopt;
  if (!id || !S_ISBLK(id->mode)) return 0;
  const auto text =
      read_value(machine, fmt::format("/sys/dev/block/{}:{}/size", gnu_dev_major(id->rdev), gnu_dev_minor(id->rdev)));
  return text ? kSectorBytes * std::strtoull(text->c_str(), nullptr, 10) : 0;
}

int while_busy(Machine& machine, const std::function<int()>& fn) {
  constexpr int kTries = 200;
  constexpr unsigned kPauseMs = 10;
  int err = fn();
  for (int i = 0; i < kTries && err == EBUSY; ++i) {
    machine.pause_ms(kPauseMs);
    err = fn();
  }
  return err;
}

}  // namespace fathom::paging::pressure
