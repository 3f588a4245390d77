// Writes whole files, and appends to growing ones.
#include "base/files/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/xattr.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include "base/files/beside.h"
#include "base/text/printable.h"

namespace fathom::base::files {
namespace {

// Copies access control lists and labels. An attribute that this user may not set keeps its value of a new file. The
// exception is the access control list, because it grants read permission.
bool copy_attributes(int from, int to) {
  const auto size = ::flistxattr(from, nullptr, 0);
  if (size <= 0) return true;
  std::string names(static_cast<std::size_t>(size), '\0');
  names.resize(static_cast<std::size_t>(std::max<ssize_t>(0, ::flistxattr(from, names.data(), names.size()))));
  for (std::size_t at = 0; at < names.size(); at += std::char_traits<char>::length(names.c_str() + at) + 1) {
    const char* const name = names.c_str() + at;
    const auto bytes = ::fgetxattr(from, name, nullptr, 0);
    if (bytes < 0) continue;
    std::vector<char> value(static_cast<std::size_t>(bytes));
    const bool done = ::fgetxattr(from, name, value.data(), value.size()) == bytes &&
                      ::fsetxattr(to, name, value.data(), value.size(), 0) == 0;
    if (!done && std::string_view(name) == XATTR_NAME_POSIX_ACL_ACCESS) return false;
  }
  return true;
}

// Gives the new file the owner, mode and attributes of the old one.
bool make_alike(int fd, const Place& place) {
  if (place.kind == PlaceKind::missing) return true;
  const system::UniqueFd old(
      ::openat(place.directory.get(), place.name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat own = {};
  if (::fstat(fd, &own) != 0) return false;
  const bool owned = own.st_uid == place.old.st_uid && own.st_gid == place.old.st_gid;
  if (!owned && ::fchown(fd, place.old.st_uid, place.old.st_gid) != 0) return false;
  if (::fchmod(fd, place.old.st_mode & 07777) != 0) return false;
  return old && copy_attributes(old.get(), fd);
}

// Returns 0 or an errno. If a directory cannot be read, or its file system does not sync directories, this is no error.
int sync_directory(int directory) {
  const system::UniqueFd fd(::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return !fd || ::fsync(fd.get()) == 0 || errno == EINVAL || errno == EOPNOTSUPP ? 0 : errno;
}

std::string read_back(int fd, std::size_t most_bytes) {
  std::string text(most_bytes, '\0');
  std::size_t have = 0;
  while (have < text.size()) {
    const auto n = ::pread(fd, text.data() + have, text.size() - have, static_cast<off_t>(have));
    if (n <= 0) break;
    have += static_cast<std::size_t>(n);
  }
  text.resize(have);
  return text;
}

// On a file system without reservation, the write itself reports missing space.
int reserve(int fd, std::size_t bytes) {
  if (bytes == 0 || ::fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(bytes)) == 0) return 0;
  return is_of_space(errno) ? errno : 0;
}

// With `ulimit -f`, a write then returns EFBIG, and no signal ends the program. The kernel sends the signal to the
// writing thread.
class SizeLimitIsAnError {
 public:
  SizeLimitIsAnError() {
    sigemptyset(&signal_);
    sigaddset(&signal_, SIGXFSZ);
    ::pthread_sigmask(SIG_BLOCK, &signal_, &before_);
  }
  ~SizeLimitIsAnError() {
    const timespec now = {};
    while (::sigtimedwait(&signal_, nullptr, &now) == SIGXFSZ) {
    }
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  SizeLimitIsAnError(const SizeLimitIsAnError&) = delete;

 private:
  sigset_t signal_, before_;
};

}  // namespace

int write_all(int fd, std::string_view text) {
  const SizeLimitIsAnError guard;
  while (!text.empty()) {
    const auto n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return 0;
}

Error Document::failed(int err) const {
  return system_error(place_.kind == PlaceKind::standard_output
                          ? std::string("write to standard output")
                          : fmt::format("write `{}`", text::printable(place_.wish.path)),
                      err);
}

// If the name now refers to another file than at the last look, that file is checked again.
Expected<void> Document::look_again() {
  if (is_unchanged(place_)) return {};
  NamedFiles none;
  auto place = look_at(place_.wish, none);
  if (!place) return place.error();
  place_ = std::move(*place);
  return {};
}

// possible: false if the name cannot be replaced; nothing was changed then.
Expected<void> Document::write_beside(std::string_view text, bool& possible) {
  const bool is_new = place_.kind == PlaceKind::missing;
  possible = false;
  if (!is_new && place_.old.st_nlink != 1) return {};
  Beside beside(place_.directory.get(), place_.name, is_new ? place_.wish.mode : 0600);
  int err = beside.fd() < 0 ? errno : 0;
  if (err == 0 && !make_alike(beside.fd(), place_)) return {};
  if (err == 0) err = write_all(beside.fd(), text);
  if (err == 0 && durability_ == Durability::synced && ::fsync(beside.fd()) != 0) err = errno;
  if (err == 0) err = beside.take_name(place_.name, is_new);
  possible = err == 0 || is_of_space(err);
  if (err != 0) return possible ? Expected<void>(failed(err)) : Expected<void>();
  fd_ = beside.release();
  if (durability_ == Durability::synced) err = sync_directory(place_.directory.get());
  if (err == 0) return {};
  auto error = failed(err);
  error.cause = "the file exists, but may not survive a power failure";
  return error;
}

Expected<void> Document::write_in_place(std::string_view text) {
  const SizeLimitIsAnError guard;  // also for fallocate(2) and ftruncate(2)
  const bool there = place_.kind == PlaceKind::regular;
  system::UniqueFd fd(::openat(place_.directory.get(), place_.name.c_str(),
                               O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | (there ? 0 : O_CREAT | O_EXCL),
                               place_.wish.mode));
  if (!fd && there && errno == EACCES)
    fd.reset(::openat(place_.directory.get(), place_.name.c_str(), O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat facts = {};
  if (!fd || ::fstat(fd.get(), &facts) != 0) return failed(errno);
  const auto old = read_back(fd.get(), std::min(static_cast<std::size_t>(facts.st_size), text.size()));
  int err = reserve(fd.get(), text.size());
  if (err == 0) err = write_all(fd.get(), text);
  if (err == 0 && ::ftruncate(fd.get(), static_cast<off_t>(text.size())) != 0) err = errno;
  if (err == 0 && durability_ == Durability::synced && ::fsync(fd.get()) != 0) err = errno;
  if (err != 0) {
    if (::lseek(fd.get(), 0, SEEK_SET) == 0) (void)write_all(fd.get(), old);
    [[maybe_unused]] const int done = ::ftruncate(fd.get(), facts.st_size);
    return failed(err);
  }
  fd_ = std::move(fd);
  return {};
}

Expected<void> Document::replace(std::string_view text) {
  if (place_.kind != PlaceKind::missing && place_.kind != PlaceKind::regular) return append(text);
  if (auto ok = look_again(); !ok) return ok;
  bool done = false;
  if (auto ok = write_beside(text, done); !ok) return ok;
  if (!done)
    if (auto ok = write_in_place(text); !ok) return ok;
  place_.kind = PlaceKind::regular;
  return ::fstat(fd_.get(), &place_.old) == 0 ? Expected<void>() : failed(errno);
}

Expected<void> Document::append(std::string_view text) {
  if (const int err = write_all(descriptor(), text); err != 0) return failed(err);
  if (fd_ && ::fstat(fd_.get(), &place_.old) != 0) return failed(errno);
  return {};
}

void Document::remove() {
  if (fd_ && is_unchanged(place_)) ::unlinkat(place_.directory.get(), place_.name.c_str(), 0);
  fd_.reset();
}

void remove_if(const std::string& path, Recognizer is_ours) {
  NamedFiles none;
  const auto place = look_at({"remove", path, is_ours, false}, none);
  if (place && place->kind == PlaceKind::regular && place->old.st_size > 0)
    ::unlinkat(place->directory.get(), place->name.c_str(), 0);
}

Expected<int> Stream::open() {
  if (place_.kind == PlaceKind::standard_output) return STDOUT_FILENO;
  if (place_.kind == PlaceKind::open) return place_.fd.get();
  if (fd_) return fd_.get();
  if (!is_unchanged(place_)) {
    NamedFiles none;
    auto again = look_at(place_.wish, none);
    if (!again) return again.error();
    place_ = std::move(*again);
    if (place_.kind == PlaceKind::open) return place_.fd.get();
  }
  const int how = place_.kind == PlaceKind::missing ? O_CREAT | O_EXCL : 0;
  fd_.reset(::openat(place_.directory.get(), place_.name.c_str(),
                     O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | how, place_.wish.mode));
  if (!fd_ || (start_ == Start::emptied && ::ftruncate(fd_.get(), 0) != 0))
    return system_error(fmt::format("{}: open `{}`", place_.wish.option, text::printable(place_.wish.path)), errno);
  return fd_.get();
}

Expected<void> Stream::write(std::string_view text) {
  const auto fd = open();
  if (!fd) return fd.error();
  if (const int err = write_all(*fd, text); err != 0)
    return system_error(fmt::format("{}: write `{}`", place_.wish.option, text::printable(place_.wish.path)), err);
  return {};
}

}  // namespace fathom::base::files
