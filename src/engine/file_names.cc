// filecreate, filestat, filedelete, dircreate, dirstat, dirdelete: each measures one call per file name. Missing files
// or directories that the call needs are created at open: files of one block with mode 0644, directories with mode
// 0700. As in fio, the bytes of the block are counted, but not moved.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/system/fd.h"
#include "engine/parts.h"
#include "io/options/stat_type.h"

namespace fathom::engine {
namespace {

struct Kind : CallState {
  io::StatType stat = io::StatType::stat;
};

base::Expected<void> make_files(const Setup& setup, CallContext& context) {
  auto kind = std::make_unique<Kind>();
  kind->stat = setup.options.of<io::StatTypeOptions>().type;
  context.own = std::move(kind);
  for (const io::Target& target : setup.targets) {
    const int how = O_WRONLY | O_CREAT | O_EXCL | O_NONBLOCK | O_CLOEXEC;
    const base::system::UniqueFd fd(::open(target.path.c_str(), how, 0644));
    if (!fd && errno == EEXIST) continue;  // its content does not matter
    const auto size = static_cast<off_t>(target.length);
    if (!fd || (::fallocate(fd.get(), 0, 0, size) != 0 && ::ftruncate(fd.get(), size) != 0))
      return base::system_error("make `" + target.path + "`", errno);
  }
  return {};
}

base::Expected<void> make_directories(const Setup& setup, CallContext& context) {
  auto kind = std::make_unique<Kind>();
  kind->stat = setup.options.of<io::StatTypeOptions>().type;
  context.own = std::move(kind);
  for (const io::Target& target : setup.targets)
    if (::mkdir(target.path.c_str(), 0700) != 0 && errno != EEXIST)
      return base::system_error("make directory `" + target.path + "`", errno);
  return {};
}

int create_file(const char* path, const Kind*) {
  const int fd = ::open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  return fd < 0 ? fd : ::close(fd);
}
int delete_file(const char* path, const Kind*) { return ::unlink(path); }
int create_directory(const char* path, const Kind*) { return ::mkdir(path, 0700); }
int delete_directory(const char* path, const Kind*) { return ::rmdir(path); }
int look(const char* path, const Kind* kind) {
  struct stat seen;
  struct statx more;
  switch (kind->stat) {
    case io::StatType::stat:
      return ::stat(path, &seen);
    case io::StatType::lstat:
      return ::lstat(path, &seen);
    case io::StatType::statx:
      break;
  }
  return ::statx(AT_FDCWD, path, AT_STATX_SYNC_AS_STAT, STATX_ALL, &more);
}

template <int (*kAct)(const char*, const Kind*)>
std::int32_t act(CallContext& context, const io::Request& request, std::byte*) {
  if (request.dir == io::Dir::sync) return 0;
  if (request.dir == io::Dir::trim) return -EINVAL;
  const char* const path = context.targets[request.target].path.c_str();
  return kAct(path, static_cast<const Kind*>(context.own.get())) == 0 ? static_cast<std::int32_t>(request.length)
                                                                      : -errno;
}

// Only regular files and links are removed, never a device node, a pipe or a socket.
base::Expected<void> make_files_to_delete(const Setup& setup, CallContext& context) {
  for (const io::Target& target : setup.targets) {
    struct stat now;
    if (::lstat(target.path.c_str(), &now) != 0 || S_ISREG(now.st_mode) || S_ISLNK(now.st_mode)) continue;
    base::Error e;
    e.kind = base::ErrorKind::refused;
    e.what = "`" + target.path + "` is not deleted";
    e.cause = "it is not a regular file";
    e.help = "name a file";
    return e;
  }
  return make_files(setup, context);
}

}  // namespace

const Calls filecreate_calls{act<create_file>};
const Calls filestat_calls{act<look>, make_files};
const Calls filedelete_calls{act<delete_file>, make_files_to_delete};
const Calls dircreate_calls{act<create_directory>};
const Calls dirstat_calls{act<look>, make_directories};
const Calls dirdelete_calls{act<delete_directory>, make_directories};

}  // namespace fathom::engine
