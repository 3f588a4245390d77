// Reads the limits of processes, tasks and memory.
#include "run/records/limits.h"

#include <dirent.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <sstream>

namespace fathom::run::records {
namespace {

std::string file_text(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// "max", or any text that is not a number, means no limit.
std::uint64_t number_in(const std::string& path) {
  std::ifstream file(path);
  std::uint64_t value = 0;
  return file >> value ? value : kNoLimit;
}

// The current number of tasks. Example of /proc/loadavg: "0.00 0.01 0.05 1/183 12345", with 183 tasks.
std::uint64_t tasks_now(const std::string& root) {
  const auto text = file_text(root + "/proc/loadavg");
  const auto slash = text.find('/');
  return slash == std::string::npos ? 0 : std::strtoull(text.c_str() + slash + 1, nullptr, 10);
}

// The threads of all processes of this user, which RLIMIT_NPROC limits.
std::uint64_t tasks_of_user(const std::string& root) {
  const std::string folder = root + "/proc";
  DIR* const directory = ::opendir(folder.c_str());
  if (directory == nullptr) return 0;
  std::uint64_t tasks = 0;
  while (const dirent* entry = ::readdir(directory)) {
    const std::string name = entry->d_name;
    struct stat st;
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    if (::stat((folder + "/" + name).c_str(), &st) != 0 || st.st_uid != ::getuid()) continue;
    const auto status = file_text(folder + "/" + name + "/status");
    const auto at = status.find("\nThreads:");
    tasks += at == std::string::npos ? 1 : std::strtoull(status.c_str() + at + 9, nullptr, 10);
  }
  ::closedir(directory);
  return tasks;
}

// Calls visit(folder, path) for every group from this process's group up to the root: each may have a limit. Covers
// both hierarchies: v1 has `N:pids:/path`, v2 has `0::/path`. In a container, the group may be mounted as the root
// although /proc shows the host's path.
template <class Visit>
void visit_groups(const std::string& root, const std::string& controller, const Visit& visit) {
  std::istringstream lines(file_text(root + "/proc/self/cgroup"));
  for (std::string line; std::getline(lines, line);) {
    const auto colon = line.find(':'), second = line.find(':', colon + 1);
    if (second == std::string::npos) continue;
    const auto controllers = line.substr(colon + 1, second - colon - 1);
    if (!controllers.empty() && controllers != controller) continue;
    const std::string hierarchy = root + "/sys/fs/cgroup" + (controllers.empty() ? "" : "/" + controller);
    for (std::string path = line.substr(second + 1); path.size() > 1; path.erase(path.rfind('/'))) {
      visit(hierarchy + path, path);
      if (path.find('/') == std::string::npos) break;
    }
    visit(hierarchy, "/");
  }
}

void add_cgroups(const std::string& root, std::vector<TaskLimit>& limits) {
  visit_groups(root, "pids", [&](const std::string& folder, const std::string& path) {
    const auto most = number_in(folder + "/pids.max");
    if (most != kNoLimit) limits.push_back({"pids.max of cgroup " + path, most, number_in(folder + "/pids.current")});
  });
}

void add_user_limit(const std::string& root, std::vector<TaskLimit>& limits) {
  rlimit user{};
  if (::getrlimit(RLIMIT_NPROC, &user) != 0 || user.rlim_cur == RLIM_INFINITY) return;
  const std::string note = ::geteuid() == 0 ? " (ulimit -u; not for a privileged user)" : " (ulimit -u)";
  limits.push_back({"RLIMIT_NPROC" + note, user.rlim_cur, tasks_of_user(root)});
}

base::Error too_many_files(base::Error e) {
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  if (e.cause.empty())
    e.cause = fmt::format("a process may open {} descriptors (ulimit -n; at most {})", files.rlim_cur, files.rlim_max);
  if (e.help.empty())
    e.help =
        "raise `ulimit -n`, or use fewer files (nrfiles=, filename=); jobs with thread=1 share one process's "
        "descriptors";
  return e;
}

base::Error too_many_files_of_all(base::Error e) {
  if (e.cause.empty()) e.cause = fmt::format("fs.file-max is {}", number_in("/proc/sys/fs/file-max"));
  if (e.help.empty()) e.help = "raise fs.file-max with `sysctl fs.file-max=N`, or use fewer files and jobs";
  return e;
}

base::Error no_memory(base::Error e) {
  if (e.help.empty())
    e.help = "use fewer jobs (numjobs=), a lower iodepth= or bs=, or thread=1; `ulimit -v`, `ulimit -l`";
  return e;
}

struct ErrnoRow {
  int err;
  base::Error (*say)(base::Error);
};
constexpr ErrnoRow kErrnoRows[] = {{EMFILE, too_many_files}, {ENFILE, too_many_files_of_all}, {ENOMEM, no_memory}};

}  // namespace

std::vector<TaskLimit> task_limits(const std::string& root) {
  std::vector<TaskLimit> limits;
  add_cgroups(root, limits);
  add_user_limit(root, limits);
  for (const char* name : {"pid_max", "threads-max"}) {
    const auto most = number_in(root + "/proc/sys/kernel/" + name);
    if (most != kNoLimit) limits.push_back({std::string("kernel.") + name, most, tasks_now(root)});
  }
  const auto room = [](const TaskLimit& l) { return l.reached() ? 0 : l.limit - l.used; };
  std::stable_sort(limits.begin(), limits.end(), [&](const auto& a, const auto& b) { return room(a) < room(b); });
  return limits;
}

std::uint64_t memory_limit_bytes(const std::string& root) {
  std::uint64_t least = kNoLimit;
  visit_groups(root, "memory", [&](const std::string& folder, const std::string&) {
    for (const char* file : {"/memory.max", "/memory.limit_in_bytes"})
      least = std::min(least, number_in(folder + file));
  });
  return least;
}

std::string describe(const std::vector<TaskLimit>& limits) {
  const bool some = std::any_of(limits.begin(), limits.end(), [](const auto& l) { return l.reached(); });
  std::string out;
  for (const auto& l : limits)
    if (!some || l.reached())
      out += fmt::format("{}{} {}, {} in use{}", out.empty() ? "" : "; ", l.name, l.limit, l.used,
                         some ? " (reached)" : "");
  return out.empty() ? "the limits on tasks cannot be read" : out;
}

base::Error with_limits(base::Error error) {
  for (const auto& row : kErrnoRows)
    if (row.err == error.sys_errno) return row.say(std::move(error));
  return error;
}

}  // namespace fathom::run::records
