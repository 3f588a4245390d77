// A state is wanted after the worst moment: the power went, the writer was killed, the disk was full. fio empties the
// old file and writes the new one in its place, so such a moment can leave neither. Here the new one is written beside
// it, synced, and takes its name in one step, rename(2); until then the old one is whole.
// The file beside it has one name, PATH.new, so that a thousand killed writers leave one file and not a thousand; two
// who write at once take turns by a lock on it. Source: rename(2), flock(2), fsync(2).
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/system/fd.h"
#include "base/text/printable.h"
#include "verify/state/state_file.h"

namespace fathom::verify::state {
namespace {

constexpr int kTurnsMost = 1000;  // each lost turn is another writer's finished save
constexpr mode_t kMode = 0644;

bool lock(int fd) {
  while (::flock(fd, LOCK_EX) != 0)
    if (errno != EINTR) return false;
  return true;
}

bool is_named(const std::string& path, int fd) {
  struct stat by_name, by_fd;
  return ::lstat(path.c_str(), &by_name) == 0 && ::fstat(fd, &by_fd) == 0 && by_name.st_ino == by_fd.st_ino &&
         by_name.st_dev == by_fd.st_dev;
}

// The file of that name, empty and nobody else's until it is closed. While we waited for the lock the other writer has
// given the file another name: then there is a next one. No file: errno says why.
base::system::UniqueFd open_alone(const std::string& path) {
  for (int turn = 0; turn < kTurnsMost; ++turn) {
    base::system::UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, kMode));
    if (!fd) return fd;
    if (!lock(fd.get())) return {};
    if (!is_named(path, fd.get())) continue;
    if (::ftruncate(fd.get(), 0) != 0) return {};
    return fd;
  }
  errno = EBUSY;
  return {};
}

int write_all(int fd, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno != EINTR) return errno;
    if (n > 0) bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
  return 0;
}

int write_and_sync(int fd, std::span<const std::byte> bytes) {
  if (const int err = write_all(fd, bytes); err != 0) return err;
  return ::fsync(fd) == 0 ? 0 : errno;
}

// The new name reaches the medium. A folder that cannot be read, or a file system that does not sync folders, is none
// of the state's errors.
int sync_folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const base::system::UniqueFd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd || ::fsync(fd.get()) == 0 || errno == EINVAL || errno == EOPNOTSUPP) return 0;
  return errno;
}

// "open state file: Permission denied", and fio's second line with what it means.
base::Error failed(const char* what, const std::string& path, int err, const char* means, bool for_write) {
  base::Error error = base::system_error(what, err);
  error.cause =
      "state file: " + base::text::printable(path) + (for_write ? " (for_write=1)" : " (for_write=0)") + means;
  return error;
}

constexpr const char* kKept = "; what was there before is as it was";

base::Expected<std::vector<std::byte>> read_whole(int fd, std::size_t bytes_now, const std::string& path) {
  std::vector<std::byte> bytes(bytes_now);
  std::size_t have = 0;
  while (have < bytes.size()) {
    const ssize_t n = ::read(fd, bytes.data() + have, bytes.size() - have);
    if (n < 0 && errno != EINTR) return failed("read verify state", path, errno, "", false);
    if (n == 0) break;
    if (n > 0) have += static_cast<std::size_t>(n);
  }
  bytes.resize(have);
  return bytes;
}

base::Error unfit(const char* what, const std::string& path, const char* cause) {
  return {base::ErrorKind::io, what, "state file: " + base::text::printable(path) + ": " + cause, {}, {}, 0};
}

}  // namespace

bool may_be_replaced(const std::string& path) {
  struct stat file = {};
  return ::lstat(path.c_str(), &file) != 0 || S_ISREG(file.st_mode) || S_ISLNK(file.st_mode);
}

base::Expected<void> save_state(const std::string& path, const State& state) {
  auto bytes = format_state(state);
  if (!bytes) return bytes.error();
  if (!may_be_replaced(path)) return failed("open state file", path, EEXIST, kKept, true);
  const std::string next = path + ".new";
  const base::system::UniqueFd fd = open_alone(next);
  if (!fd) return failed("open state file", next, errno, kKept, true);
  if (const int err = write_and_sync(fd.get(), *bytes); err != 0) {
    ::unlink(next.c_str());
    return failed("write state file", path, err, kKept, true);
  }
  if (::rename(next.c_str(), path.c_str()) != 0) {
    const int err = errno;
    ::unlink(next.c_str());
    return failed("write state file", path, err, kKept, true);
  }
  if (const int err = sync_folder_of(path); err != 0)
    return failed("write state file", path, err, "; it is there, but may not outlast a power cut", true);
  return {};
}

// O_NONBLOCK: a pipe of that name would be waited for.
base::Expected<State> load_state(const std::string& path) {
  const base::system::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat facts {};
  if (!fd || ::fstat(fd.get(), &facts) != 0) return failed("open state file", path, errno, "", false);
  if (!S_ISREG(facts.st_mode)) return unfit("failed reading verify state header", path, "it is no regular file");
  if (static_cast<std::uint64_t>(facts.st_size) > kStateBytesMost)
    return unfit("failed reading verity state", path, "it is larger than any state");
  auto bytes = read_whole(fd.get(), static_cast<std::size_t>(facts.st_size), path);
  if (!bytes) return bytes.error();
  auto state = parse_state(*bytes);
  if (!state) state.error().cause = "state file: " + base::text::printable(path) + ": " + state.error().cause;
  return state;
}

}  // namespace fathom::verify::state
