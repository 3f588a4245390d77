// Resolves a path component by component, and decides whether its file may be written.
#include "base/files/place.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <poll.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <climits>
#include <cstdlib>
#include <deque>
#include <optional>
#include <thread>
#include <utility>

#include "base/text/printable.h"

namespace fathom::base::files {
namespace {

// A result may name this program only in its last part. If a short head is inconclusive, a longer one is read.
constexpr std::array<std::size_t, 3> kHeadBytes = {1 << 20, 16 << 20, 256 << 20};
constexpr int kMostLinks = 40;  // the kernel's limit
constexpr std::chrono::milliseconds kFifoWait{1000}, kFifoStep{20};

Error refused(const OutputWish& wish, std::string cause, std::string help) {
  Error e;
  e.kind = ErrorKind::refused;
  e.what = fmt::format("{}: cannot write `{}`", wish.option, text::printable(wish.path));
  e.cause = std::move(cause);
  e.help = std::move(help);
  return e;
}

Error failed(const OutputWish& wish, int err) {
  return system_error(fmt::format("{}: open `{}`", wish.option, text::printable(wish.path)), err);
}

// The number N of /dev/fd/N and /proc/self/fd/N; also of /dev/stdout and /dev/stderr.
std::optional<int> descriptor_of(std::string_view path) {
  if (path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(folder)) continue;
    int fd = -1;
    const auto* const end = path.data() + path.size();
    const auto [stop, err] = std::from_chars(path.data() + folder.size(), end, fd);
    if (err == std::errc() && stop == end) return fd;
  }
  return std::nullopt;
}

Expected<Place> open_descriptor(Place place, int fd, NamedFiles& named) {
  struct stat file = {};
  const int flags = ::fcntl(fd, F_GETFL);
  if (flags < 0 || ::fstat(fd, &file) != 0) return failed(place.wish, errno);
  if ((flags & O_ACCMODE) == O_RDONLY) return failed(place.wish, EBADF);
  if (S_ISBLK(file.st_mode)) return refused(place.wish, "the file is a block device", "name a file");
  if (auto ok = named.claim(place.wish.option, place.wish.path, identity_of(file)); !ok) return ok.error();
  place.kind = PlaceKind::open;
  place.fd.reset(::fcntl(fd, F_DUPFD_CLOEXEC, 3));
  if (!place.fd) return failed(place.wish, errno);
  return place;
}

// A named pipe cannot be opened for writing without waiting, unless it has a reader.
int open_fifo(const Place& place) {
  const auto until = std::chrono::steady_clock::now() + kFifoWait;
  while (true) {
    const int fd = ::openat(place.directory.get(), place.name.c_str(), O_WRONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0 || errno != ENXIO || std::chrono::steady_clock::now() >= until) return fd;
    std::this_thread::sleep_for(kFifoStep);
  }
}

Expected<Place> open_special(Place place) {
  const bool fifo = S_ISFIFO(place.old.st_mode);
  constexpr int kFlags = O_WRONLY | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC;
  place.fd.reset(fifo ? open_fifo(place) : ::openat(place.directory.get(), place.name.c_str(), kFlags));
  if (!place.fd && fifo && errno == ENXIO)
    return refused(place.wish, "no process reads this pipe", "start the reader first");
  if (!place.fd) return failed(place.wish, errno);
  ::fcntl(place.fd.get(), F_SETFL, ::fcntl(place.fd.get(), F_GETFL) & ~O_NONBLOCK);
  place.kind = PlaceKind::open;
  return place;
}

// Under sudo, the directories of the invoking user still count as the user's own.
uid_t user_behind() {
  const char* const sudo = std::getenv("SUDO_UID");
  if (::geteuid() != 0 || sudo == nullptr) return ::geteuid();
  uid_t uid = 0;
  const std::string_view text(sudo);
  const auto [stop, err] = std::from_chars(text.data(), text.data() + text.size(), uid);
  return err == std::errc() && stop == text.data() + text.size() ? uid : ::geteuid();
}

std::deque<std::string> pieces_of(std::string_view path) {
  std::deque<std::string> pieces;
  for (std::size_t at = 0; at <= path.size();) {
    const auto end = std::min(path.find('/', at), path.size());
    if (end > at) pieces.emplace_back(path.substr(at, end - at));
    at = end + 1;
  }
  if (path.ends_with('/') && !pieces.empty()) pieces.emplace_back(".");
  return pieces;
}

std::string link_target(int directory, const std::string& name) {
  std::array<char, PATH_MAX> target;
  const auto length = ::readlinkat(directory, name.c_str(), target.data(), target.size());
  return length < 0 ? "" : std::string(target.data(), static_cast<std::size_t>(length));
}

// Resolves `path` to an open directory and the last name in it, which is no link.
class Walk {
 public:
  explicit Walk(const OutputWish& wish) : wish_(wish), left_(pieces_of(wish.path)) { begin_at(wish.path); }
  Expected<void> to_the_end(Place& place);

 private:
  void begin_at(std::string_view path) {
    const bool absolute = path.starts_with('/');
    if (absolute || !at_)
      at_.reset(::open(absolute ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC)), shown_ = absolute ? "/" : "";
  }
  Expected<void> follow(const std::string& name);
  Expected<void> enter(const std::string& name);

  const OutputWish& wish_;
  std::deque<std::string> left_;
  system::UniqueFd at_;
  std::string shown_;
  int links_ = 0;
};

Expected<void> Walk::follow(const std::string& name) {
  struct stat directory = {};
  struct statfs system = {};
  if (++links_ > kMostLinks) return failed(wish_, ELOOP);
  if (::fstat(at_.get(), &directory) != 0 || ::fstatfs(at_.get(), &system) != 0) return failed(wish_, errno);
  const auto target = link_target(at_.get(), name);
  if (target.empty()) return failed(wish_, errno);
  const bool nameless = target.find(":[") != std::string::npos || target.starts_with("anon_inode:");
  if (system.f_type == PROC_SUPER_MAGIC && nameless)
    return refused(wish_, "the file is open in another process", "name the file itself");
  if (others_can_write(directory))
    return refused(wish_,
                   fmt::format("`{}{}` is a link to `{}`, in a directory that other users can write to",
                               text::printable(shown_), text::printable(name), text::printable(target)),
                   "name the target of the link");
  auto more = pieces_of(target);
  left_.insert(left_.begin(), more.begin(), more.end());
  begin_at(target);
  return {};
}

Expected<void> Walk::enter(const std::string& name) {
  system::UniqueFd next(::openat(at_.get(), name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!next) return failed(wish_, errno);
  at_ = std::move(next);
  shown_ += name + "/";
  return {};
}

Expected<void> Walk::to_the_end(Place& place) {
  while (!left_.empty()) {
    if (!at_) return failed(wish_, errno);
    const std::string name = std::move(left_.front());
    left_.pop_front();
    struct stat file = {};
    const bool there = ::fstatat(at_.get(), name.c_str(), &file, AT_SYMLINK_NOFOLLOW) == 0;
    if (!there && (errno != ENOENT || !left_.empty())) return failed(wish_, errno);
    if (there && S_ISLNK(file.st_mode)) {
      if (auto ok = follow(name); !ok) return ok;
    } else if (left_.empty()) {
      place.directory = std::move(at_);
      place.name = name;
      place.path = shown_ + name;
      place.kind = there ? PlaceKind::regular : PlaceKind::missing;
      if (there) place.old = file;
      return {};
    } else if (auto ok = enter(name); !ok) {
      return ok;
    }
  }
  return failed(wish_, EISDIR);
}

// True if the directory is an interface of the kernel. The sizes of its files mean nothing.
bool is_kernels(int directory, bool but_sysfs) {
  constexpr std::array<decltype(statfs::f_type), 10> kKinds = {
      PROC_SUPER_MAGIC, SYSFS_MAGIC,      CGROUP_SUPER_MAGIC, CGROUP2_SUPER_MAGIC, DEBUGFS_MAGIC,
      TRACEFS_MAGIC,    SECURITYFS_MAGIC, EFIVARFS_MAGIC,     SELINUX_MAGIC,       0x62656570 /* configfs */};
  struct statfs system = {};
  return ::fstatfs(directory, &system) == 0 && !(but_sysfs && system.f_type == SYSFS_MAGIC) &&
         std::find(kKinds.begin(), kKinds.end(), system.f_type) != kKinds.end();
}

Expected<void> check_foreign(const Place& place) {
  const auto& wish = place.wish;
  if (place.old.st_size == 0 || wish.overwrites) return {};
  const system::UniqueFd fd(
      ::openat(place.directory.get(), place.name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  const auto size = static_cast<std::size_t>(place.old.st_size);
  std::string head;
  bool is_read = static_cast<bool>(fd);
  for (const std::size_t most : kHeadBytes) {
    const auto have = head.size();
    if (!is_read || have >= size) break;
    head.resize(std::min(most, size));
    const auto n = ::pread(fd.get(), head.data() + have, head.size() - have, static_cast<off_t>(have));
    is_read = n >= 0;
    head.resize(have + static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
    if (wish.is_ours == nullptr || n <= 0) break;
    if (wish.is_ours(head)) return {};
  }
  constexpr std::size_t kShown = 60;
  const auto line = text::printable(head.substr(0, std::min(head.find('\n'), kShown)));
  const auto begins = !is_read ? std::string("the file cannot be read") : fmt::format("its first line is `{}`", line);
  return refused(wish,
                 fmt::format("a file of {} bytes that fathom did not write exists; {}", place.old.st_size, begins),
                 "name another file, or add --force to overwrite it");
}

Expected<Place> look_at_file(Place place, NamedFiles& named) {
  const bool there = place.kind == PlaceKind::regular;
  const auto mode = place.old.st_mode;
  if (there && S_ISDIR(mode)) return failed(place.wish, EISDIR);
  if (there && S_ISBLK(mode)) return refused(place.wish, "the file is a block device", "name a file");
  if (there && S_ISSOCK(mode)) return refused(place.wish, "the file is a socket", "name a file or a pipe");
  if (there && !S_ISREG(mode)) return open_special(std::move(place));
  if (is_kernels(place.directory.get(), place.wish.device_memory && there))
    return refused(place.wish, "the file is a kernel interface", "name a file");
  if (::faccessat(place.directory.get(), there ? place.name.c_str() : ".", there ? W_OK : W_OK | X_OK, AT_EACCESS) != 0)
    return failed(place.wish, errno);
  struct stat directory = {};
  if (!there && ::fstat(place.directory.get(), &directory) != 0) return failed(place.wish, errno);
  auto identity = there ? identity_of(place.old) : Identity{directory.st_dev, directory.st_ino, place.name};
  if (auto ok = named.claim(place.wish.option, place.wish.path, std::move(identity)); !ok) return ok.error();
  if (there)
    if (auto ok = check_foreign(place); !ok) return ok.error();
  return place;
}

}  // namespace

std::string file_name_of(std::string_view name) {
  std::string out(name);
  std::replace(out.begin(), out.end(), '/', '_');
  return out;
}

bool others_can_write(const struct stat& directory) {
  return (directory.st_mode & S_IWOTH) != 0 ||
         ((directory.st_mode & S_IWGRP) != 0 && directory.st_gid != ::getegid()) ||
         (directory.st_uid != ::geteuid() && directory.st_uid != 0 && directory.st_uid != user_behind());
}

Expected<Place> look_at(OutputWish wish, NamedFiles& named) {
  Place place;
  place.wish = std::move(wish);
  if (place.wish.path.empty()) return place;
  if (const auto fd = descriptor_of(place.wish.path)) return open_descriptor(std::move(place), *fd, named);
  if (auto ok = Walk(place.wish).to_the_end(place); !ok) return ok.error();
  return look_at_file(std::move(place), named);
}

bool is_unchanged(const Place& place) {
  if (place.kind != PlaceKind::missing && place.kind != PlaceKind::regular) return true;
  struct stat now = {};
  const bool there = ::fstatat(place.directory.get(), place.name.c_str(), &now, AT_SYMLINK_NOFOLLOW) == 0;
  if (place.kind == PlaceKind::missing) return !there;
  const auto& old = place.old;
  return there && now.st_dev == old.st_dev && now.st_ino == old.st_ino && now.st_size == old.st_size &&
         now.st_mtim.tv_sec == old.st_mtim.tv_sec && now.st_mtim.tv_nsec == old.st_mtim.tv_nsec;
}

}  // namespace fathom::base::files
