// The steps that prepare a worker's process, in their order.
#include "run/process/process_setup.h"

#include <fmt/format.h>
#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fstream>

#include "base/system/affinity.h"
#include "base/system/numa.h"
#include "job/fields/cpus.h"
#include "job/fields/process_options.h"
#include "run/process/cgroup.h"

namespace fathom::run::process {
namespace {

// Constants of ioprio_set(2). Some versions of the kernel's header do not compile as C++: they name a parameter
// `class`.
constexpr int kThisProcess = 1;      // IOPRIO_WHO_PROCESS
constexpr unsigned kBestEffort = 2;  // IOPRIO_CLASS_BE

const job::fields::ProcessOptions& options_of(const files::Plan& plan) {
  return plan.job.of<job::fields::ProcessOptions>();
}

base::Expected<void> outcome(std::string what, int err, std::string help = {}) {
  if (err == 0) return {};
  base::Error e = base::system_error(std::move(what), err);
  if (!help.empty()) e.help = std::move(help);
  return e;
}

constexpr const char* kAsRoot = "run as root, or omit the option";

// With cpus_allowed_policy=split, each clone of numjobs gets one CPU of the set. No job uses the CPU of gtod_cpu=.
base::Expected<void> pin(const files::Plan& plan, ProcessSetup&) {
  const auto& cpus = plan.job.of<job::fields::Cpus>();
  const int kept_free = options_of(plan).gtod_cpu;
  if (cpus.allowed.empty() && kept_free < 0) return {};
  auto allowed = cpus.allowed.empty() ? base::system::allowed_cpus() : cpus.allowed;
  std::erase(allowed, kept_free);
  if (allowed.empty())
    return outcome(fmt::format("gtod_cpu={} leaves no CPU to the job", kept_free), EINVAL,
                   "name another CPU, or more CPUs in cpus_allowed");
  const auto subjob = static_cast<std::size_t>(plan.job.subjob);
  const int err = cpus.split ? base::system::run_on(allowed[subjob % allowed.size()]) : base::system::run_on(allowed);
  if (err == 0) return {};
  return outcome("cpus_allowed", err,
                 fmt::format("the CPUs that its cpuset (a container's) leaves this process are among {}",
                             fmt::join(base::system::allowed_cpus(), ",")));
}

base::Expected<void> run_on_nodes(const files::Plan& plan, ProcessSetup&) {
  const auto& own = options_of(plan);
  if (own.numa_cpu_nodes.empty() && !own.every_cpu_node) return {};
  std::vector<int> cpus;
  const auto there = base::system::cpu_nodes();
  for (const int node : own.every_cpu_node ? there : own.numa_cpu_nodes) {
    const auto of_node = base::system::node_cpus(node);
    if (of_node.empty())
      return outcome(fmt::format("numa_cpu_nodes: node {} has no CPU", node), EINVAL,
                     fmt::format("the nodes with CPUs are {}", fmt::join(there, ",")));
    cpus.insert(cpus.end(), of_node.begin(), of_node.end());
  }
  return outcome("numa_cpu_nodes", base::system::run_on(cpus));
}

base::Expected<void> place_memory(const files::Plan& plan, ProcessSetup&) {
  constexpr int kModes[] = {MPOL_DEFAULT, MPOL_DEFAULT, MPOL_PREFERRED, MPOL_BIND, MPOL_INTERLEAVE, MPOL_LOCAL};
  const auto& own = options_of(plan);
  if (own.numa_policy == job::fields::NumaPolicy::unset) return {};
  const bool every = own.numa_memory_nodes.empty() && (own.numa_policy == job::fields::NumaPolicy::interleave ||
                                                       own.numa_policy == job::fields::NumaPolicy::bind);
  const auto nodes = every ? base::system::memory_nodes() : own.numa_memory_nodes;
  return outcome("numa_mem_policy", base::system::set_memory_policy(kModes[static_cast<int>(own.numa_policy)], nodes),
                 fmt::format("the nodes with memory are {}", fmt::join(base::system::memory_nodes(), ",")));
}

// The most memory that lockmem= may lock. As in fio, 128 MiB remain for other processes.
std::uint64_t most_locked_bytes() {
  constexpr std::uint64_t kLeft = 128u << 20;
  const auto all =
      static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return all > kLeft ? all - kLeft : all;
}

base::Expected<void> set_io_priority(const files::Plan& plan, ProcessSetup&) {
  constexpr unsigned kClassShift = 13, kHintShift = 3;
  const auto& own = options_of(plan);
  if (!own.sets_io_priority()) return {};
  const unsigned io_class = own.prioclass.value_or(0) != 0 ? *own.prioclass : kBestEffort;
  const unsigned value = io_class << kClassShift | own.priohint.value_or(0) << kHintShift | own.prio.value_or(0);
  const long done = ::syscall(SYS_ioprio_set, kThisProcess, 0, value);
  return outcome("prio, prioclass", done == 0 ? 0 : errno,
                 "run with CAP_SYS_NICE, which the realtime class (prioclass=1) needs");
}

base::Expected<void> join_cgroup(const files::Plan& plan, ProcessSetup&) { return enter_cgroup(plan.job); }

base::Expected<void> set_nice(const files::Plan& plan, ProcessSetup&) {
  const auto& own = options_of(plan);
  if (!own.nice) return {};
  const auto thread = static_cast<id_t>(::syscall(SYS_gettid));
  const int err = ::setpriority(PRIO_PROCESS, thread, *own.nice) == 0 ? 0 : errno;
  return outcome("nice", err == EACCES ? EPERM : err,  // as nice(2) reports it
                 "run with CAP_SYS_NICE, which a lower nice value needs");
}

base::Expected<void> set_scheduler(const files::Plan& plan, ProcessSetup&) {
  const auto& own = options_of(plan);
  if (own.ioscheduler.empty() || plan.targets.empty()) return {};
  const auto file = scheduler_file(plan.targets.front().path);
  return file.empty() ? base::Expected<void>{} : switch_scheduler(file, own.ioscheduler);
}

base::Expected<void> set_name(const files::Plan& plan, ProcessSetup&) {
  const auto& own = options_of(plan);
  if (!own.comm.empty()) ::prctl(PR_SET_NAME, own.comm.c_str());
  return {};
}

base::Error no_identity(const std::string& what, int err) {
  constexpr const char* kNotHere =
      "write an ID of this user namespace (a container's): see /proc/self/uid_map and gid_map";
  return outcome(what, err, err == EINVAL ? kNotHere : kAsRoot).error();
}

base::Expected<void> set_identity(const files::Plan& plan, ProcessSetup&) {
  const auto& own = options_of(plan);
  if (!own.uid && !own.gid) return {};
  if (own.gid && ::setgid(*own.gid) != 0) return no_identity(fmt::format("gid={}", *own.gid), errno);
  if (own.uid && ::setuid(*own.uid) != 0) return no_identity(fmt::format("uid={}", *own.uid), errno);
  // A change of identity clears both settings: that the process may read /proc/self, and that the worker ends with its
  // parent.
  ::prctl(PR_SET_DUMPABLE, 1);
  if (!plan.job.thread) ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  return {};
}

}  // namespace

// Outside the anonymous namespace, because ProcessSetup declares it a friend.
base::Expected<void> lock_memory(const files::Plan& plan, ProcessSetup& setup) {
  const std::uint64_t asked = options_of(plan).lockmem_bytes;
  if (asked == 0) return {};
  const auto bytes = static_cast<std::size_t>(std::min(asked, most_locked_bytes()));
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return outcome("lockmem", errno);
  setup.locked_ = memory;
  setup.locked_bytes_ = bytes;
  return outcome("lockmem", ::mlock(memory, bytes) == 0 ? 0 : errno, "raise `ulimit -l`, or run as root");
}

namespace {

constexpr base::Expected<void> (*kSteps[])(const files::Plan&, ProcessSetup&) = {
    pin,         run_on_nodes, place_memory,  lock_memory, set_io_priority,
    join_cgroup, set_nice,     set_scheduler, set_name,    set_identity,
};

}  // namespace

base::Expected<void> ProcessSetup::apply(const files::Plan& plan) {
  for (const auto step : kSteps)
    if (auto ok = step(plan, *this); !ok) return ok;
  return {};
}

ProcessSetup::~ProcessSetup() {
  if (locked_ != nullptr) ::munmap(locked_, locked_bytes_);
}

std::vector<std::string> process_notes(const files::Plan& plan) {
  const job::Job& job = plan.job;
  const auto& own = options_of(plan);
  std::vector<std::string> notes;
  if (own.lockmem_bytes > most_locked_bytes())
    notes.push_back(fmt::format("lockmem: limiting mlocked memory to {}MiB: 128 MiB of the machine's memory stay free",
                                most_locked_bytes() >> 20));
  if (job.thread && (own.uid || own.gid))
    notes.push_back("uid, gid: the job is a thread, and the whole process keeps the identity");
  if (!own.ioscheduler.empty() && !plan.targets.empty()) {
    const auto& path = plan.targets.front().path;
    notes.push_back(
        scheduler_file(path).empty()
            ? fmt::format("ioscheduler={}: `{}` is not on a disk with a queue (a tmpfs, an overlay): nothing "
                          "was switched, as with fio",
                          own.ioscheduler, path)
            : fmt::format("ioscheduler={}: the disk keeps that scheduler after the run, as with fio", own.ioscheduler));
  }
  return notes;
}

std::string scheduler_file(const std::string& path, const std::string& prefix) {
  struct stat st;
  // A file that does not exist yet is created on the disk of its directory.
  const auto slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  if (::stat(path.c_str(), &st) != 0 && ::stat(folder.c_str(), &st) != 0) return {};
  const dev_t device = S_ISBLK(st.st_mode) ? st.st_rdev : st.st_dev;
  const auto node = fmt::format("{}/sys/dev/block/{}:{}", prefix, major(device), minor(device));
  for (const char* of_disk : {"/queue/scheduler", "/../queue/scheduler"})
    if (::access((node + of_disk).c_str(), F_OK) == 0) return node + of_disk;
  return {};
}

base::Expected<void> switch_scheduler(const std::string& file, const std::string& scheduler) {
  const auto refused = [&](const std::string& cause) {
    base::Error e;
    e.kind = base::ErrorKind::io;
    e.sys_errno = EINVAL;
    e.what = fmt::format("ioscheduler={}", scheduler);
    e.cause = cause;
    e.help = fmt::format("choose a scheduler that `cat {}` lists; switching needs root", file);
    return e;
  };
  std::ofstream out(file);
  out << scheduler;
  if (!out.flush()) return refused(fmt::format("`{}` cannot be written", file));
  std::string line;
  std::ifstream in(file);
  std::getline(in, line);
  // Example: "none [mq-deadline]". A disk with one scheduler shows only its name.
  if (line.find("[" + scheduler + "]") == std::string::npos && line != scheduler)
    return refused(fmt::format("the disk still uses `{}`", line));
  return {};
}

}  // namespace fathom::run::process
