// Creates, enters and removes directories in the cgroup tree.
#include "run/process/cgroup.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <sstream>

#include "base/system/fd.h"
#include "job/fields/process_options.h"

namespace fathom::run::process {
namespace {

std::string text_of(const char* path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

base::Expected<CgroupMount> mount_of_machine() {
  if (auto mount = find_cgroup_mount(text_of("/proc/mounts"))) return *mount;
  base::Error e;
  e.kind = base::ErrorKind::io;
  e.sys_errno = ENODEV;
  e.what = "cgroup=: neither the blkio controller nor cgroup2 is mounted";
  e.cause = "/proc/mounts has neither";
  e.help = "run `mount -t cgroup2 none /sys/fs/cgroup`, or omit cgroup=";
  return e;
}

// Writes the whole text in one call, because the kernel takes each call as one value.
int write_value(const std::string& path, const std::string& text) {
  base::system::UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!fd) return errno;
  return ::write(fd.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()) ? 0 : errno;
}

base::Error failed(const std::string& what, int err, const std::string& help) {
  base::Error e = base::system_error(what, err);
  e.help = help;
  return e;
}

std::string above(const std::string& folder) { return folder.substr(0, folder.rfind('/')); }

std::string help_of(int err, const std::string& folder) {
  switch (err) {
    case ENOENT:
      return "create the parent groups first: mkdir -p " + above(folder);
    case EBUSY:
      return fmt::format(
          "empty {}/cgroup.subtree_control: in version 2, a group with controllers for child groups cannot have "
          "processes",
          folder);
    default:
      return "run as root, where the cgroup tree can be written, or omit cgroup=";
  }
}

base::Expected<void> set_weight(const std::string& folder, bool v2, unsigned weight) {
  const auto write = [&](const char* file) { return write_value(folder + "/" + file, std::to_string(weight)); };
  if (!v2) {
    if (const int err = write("blkio.weight"); err != 0)
      return failed(fmt::format("cgroup_weight={}: write `{}/blkio.weight`", weight, folder), err,
                    "use a kernel with I/O weights (BFQ), or omit cgroup_weight");
    return {};
  }
  const int bfq = write("io.bfq.weight"), io = write("io.weight");
  if (bfq == 0 || io == 0) return {};
  return failed(fmt::format("cgroup_weight={}: write `{}/io.weight`", weight, folder), io,
                io == ENOENT ? fmt::format("run `echo +io > {}/cgroup.subtree_control` to enable weights, with "
                                           "BFQ (io.bfq.weight) or io.cost, or omit cgroup_weight",
                                           above(folder))
                             : "omit cgroup_weight");
}

// The path of this process in the tree of version 2, for example "/" or "/user.slice".
std::string own_group() {
  std::istringstream lines(text_of("/proc/self/cgroup"));
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("0::")) return line.substr(3);
  return {};
}

}  // namespace

std::optional<CgroupMount> find_cgroup_mount(std::string_view mounts) {
  std::istringstream lines{std::string(mounts)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string source, folder, type, flags;
    fields >> source >> folder >> type >> flags;
    if (type == "cgroup2") return CgroupMount{folder, true};
    if (type == "cgroup" && ("," + flags + ",").find(",blkio,") != std::string::npos) return CgroupMount{folder, false};
  }
  return std::nullopt;
}

base::Expected<void> Cgroups::prepare(const job::Job& job) {
  const auto& own = job.of<job::fields::Cgroup>();
  if (own.name.empty()) return {};
  const auto mount = mount_of_machine();
  if (!mount) return mount.error();
  const std::string folder = mount->folder + "/" + own.name;
  if (::mkdir(folder.c_str(), 0755) == 0) {
    if (!own.nodelete) made_.push_back(folder);
  } else if (errno != EEXIST) {
    const int err = errno;
    return failed(fmt::format("cgroup={}: create `{}`", own.name, folder), err, help_of(err, folder));
  }
  if (mount->v2 && job.thread && home_.empty()) home_ = mount->folder + own_group();
  return own.weight == 0 ? base::Expected<void>{} : set_weight(folder, mount->v2, own.weight);
}

// Removes the deepest groups first. A group that still has a process remains.
Cgroups::~Cgroups() {
  if (!home_.empty()) write_value(home_ + "/cgroup.procs", std::to_string(::getpid()));
  std::sort(made_.rbegin(), made_.rend());
  for (const auto& folder : made_) ::rmdir(folder.c_str());
}

base::Expected<void> enter_cgroup(const job::Job& job) {
  const auto& own = job.of<job::fields::Cgroup>();
  if (own.name.empty()) return {};
  const auto mount = mount_of_machine();
  if (!mount) return mount.error();
  const std::string file = mount->folder + "/" + own.name + (mount->v2 ? "/cgroup.procs" : "/tasks");
  const long task = mount->v2 ? ::getpid() : ::syscall(SYS_gettid);
  const int err = write_value(file, std::to_string(task));
  if (err == 0) return {};
  return failed(fmt::format("cgroup={}: write `{}`", own.name, file), err,
                help_of(err, mount->folder + "/" + own.name));
}

}  // namespace fathom::run::process
