// A state is needed after a failure: the power failed, the writer was killed, the disk was full. fio truncates the old
// file and writes the new one in its place, so such a moment can destroy both. Here the file is a document
// (base/files/output_file.h): the old one remains complete until the new one takes its name.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/files/output_file.h"
#include "base/system/fd.h"
#include "base/text/printable.h"
#include "verify/state/state_file.h"

namespace fathom::verify::state {
namespace {

constexpr mode_t kMode = 0644;

// Example: "open state file: Permission denied", then fio's second line with its meaning.
base::Error failed(const char* what, const std::string& path, int err, const std::string& means, bool for_write) {
  base::Error error = base::system_error(what, err);
  error.cause =
      "state file: " + base::text::printable(path) + (for_write ? " (for_write=1)" : " (for_write=0)") + means;
  return error;
}

constexpr const char* kKept = "; the previous file is unchanged";

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
  base::files::NamedFiles none;
  auto place = base::files::look_at({"state file", path, is_state, false, false, kMode}, none);
  if (!place) {
    const auto& error = place.error();
    return error.sys_errno == 0 ? error : failed("open state file", path, error.sys_errno, kKept, true);
  }
  base::files::Document file(std::move(*place));
  const auto saved = file.replace(base::files::text_of(*bytes));
  if (saved.ok()) return {};
  const auto& error = saved.error();
  const std::string means = error.cause.empty() ? kKept : "; " + error.cause;
  return failed("write state file", path, error.sys_errno, means, true);
}

// O_NONBLOCK: opening a pipe of that name would wait otherwise.
base::Expected<State> load_state(const std::string& path) {
  const base::system::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat facts {};
  if (!fd || ::fstat(fd.get(), &facts) != 0) return failed("open state file", path, errno, "", false);
  if (!S_ISREG(facts.st_mode))
    return unfit("failed reading verify state header", path, "the path is not a regular file");
  if (static_cast<std::uint64_t>(facts.st_size) > kStateBytesMost)
    return unfit("failed reading verity state", path, "the file is larger than any state");
  auto bytes = read_whole(fd.get(), static_cast<std::size_t>(facts.st_size), path);
  if (!bytes) return bytes.error();
  auto state = parse_state(*bytes);
  if (!state) state.error().cause = "state file: " + base::text::printable(path) + ": " + state.error().cause;
  return state;
}

}  // namespace fathom::verify::state
