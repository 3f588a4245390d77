// Reading all descriptors on a large machine takes long, so one reading serves all targets. If it finds writers, only
// their descriptors are read again.
#include "host/guards/surroundings.h"

#include <fmt/format.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

#include "host/mounts/kernel_use.h"
#include "host/proc/hidden_proc.h"
#include "host/proc/task_stat.h"
#include "host/proc/text_file.h"

namespace fathom::host::guards {
namespace {

// The relation of another process to this one. A user with "bash" in the message needs to know that it is the shell
// that started this command. Source: proc_pid_stat(5), fields 4 to 6. Thread-safe.

// Returns "which started this command" for an ancestor. "in the same process group" is for a pipeline or a script's
// commands, "in the same session" for those of a terminal. Empty: unrelated. `prefix` is put before /proc, for tests.
std::string_view kinship(pid_t other, const std::string& prefix = "");

std::optional<proc::TaskStat> stat_of(const std::string& process, const std::string& prefix) {
  return proc::parse_task_stat(proc::read_text(prefix + "/proc/" + process + "/stat", 1024));
}

std::string_view kinship(pid_t other, const std::string& prefix) {
  constexpr int kMostGenerations = 64;
  const auto own = stat_of("self", prefix);
  if (!own) return "";
  pid_t at = own->parent;
  for (int i = 0; i < kMostGenerations && at > 0; ++i) {
    if (at == other) return "which started this command";
    const auto parent = stat_of(std::to_string(at), prefix);
    at = parent ? parent->parent : 0;
  }
  const auto stat = stat_of(std::to_string(other), prefix);
  if (!stat) return "";
  if (stat->group == own->group) return "in the same process group";
  return stat->session == own->session ? "in the same session" : "";
}

// The device, and the devices with the same bytes: its partitions, or the disk of a partition.
std::vector<dev_t> same_bytes(const disk::BlockTree& tree, dev_t device) {
  const std::string name = tree.name_of(device);
  std::vector<dev_t> all{device};
  auto names = tree.partitions(name);
  if (tree.is_partition(name)) names.push_back(tree.whole_disk(name));
  for (const auto& other : names)
    if (const auto number = tree.device_of(other)) all.push_back(*number);
  return all;
}

}  // namespace

const std::string& Surroundings::mounts_text() {
  if (!mounts_text_) mounts_text_ = proc::read_text(prefix_ + "/proc/self/mountinfo");
  return *mounts_text_;
}

const std::string& Surroundings::swaps_text() {
  if (!swaps_text_) swaps_text_ = proc::read_text(prefix_ + "/proc/swaps");
  return *swaps_text_;
}

const std::vector<mounts::Mount>& Surroundings::mounts() {
  if (!mounts_) mounts_ = mounts::parse_mountinfo(mounts_text());
  return *mounts_;
}

const std::vector<std::string>& Surroundings::swaps() {
  if (!swaps_) swaps_ = mounts::parse_swaps(swaps_text());
  return *swaps_;
}

const std::vector<mounts::LoopBacking>& Surroundings::loops() {
  if (!loops_) loops_ = mounts::loop_backings(mounts());
  return *loops_;
}

const Openers& Surroundings::openers() {
  if (!openers_) openers_ = find_openers(::getpid(), prefix_);
  return *openers_;
}

// The client of a network block device has it open while it serves it. /sys names that process, which is excluded.
std::vector<Opener> Surroundings::of_device(const Openers& openers, dev_t device, bool writing_only) const {
  const auto devices = same_bytes(tree_, device);
  const std::string server = tree_.attribute(tree_.whole_disk(tree_.name_of(device)), "pid");
  std::vector<Opener> all;
  for (const auto& one : openers.found) {
    if (writing_only && !one.writes) continue;
    if (std::find(devices.begin(), devices.end(), one.device) == devices.end()) continue;
    if (!server.empty() && std::atoi(server.c_str()) == one.pid) continue;
    all.push_back(one);
  }
  return all;
}

std::vector<std::string> Surroundings::named(const std::vector<Opener>& openers) const {
  std::vector<std::string> names;
  for (const auto& one : openers) {
    const auto kin = kinship(one.pid, prefix_);
    const std::string text = fmt::format("{} (pid {}{}{})", one.name, one.pid, kin.empty() ? "" : ", ", kin);
    if (std::find(names.begin(), names.end(), text) == names.end()) names.push_back(text);
  }
  return names;
}

std::vector<std::string> Surroundings::writers_of(dev_t device) {
  constexpr int kTries = 21;
  constexpr useconds_t kPauseUs = 50'000;
  auto writers = of_device(openers(), device, true);
  for (int i = 1; i < kTries && !writers.empty(); ++i) {
    ::usleep(kPauseUs);
    std::vector<pid_t> pids;
    for (const auto& one : writers)
      if (pids.empty() || pids.back() != one.pid) pids.push_back(one.pid);
    writers = of_device(openers_among(pids, prefix_), device, true);
  }
  return named(writers);
}

std::vector<std::string> Surroundings::openers_of(dev_t device) { return named(of_device(openers(), device, false)); }

// A /proc that shows this process may still hide others.
std::string Surroundings::openers_unknown() {
  const std::string what = "unknown whether other processes have the device open for writing: ";
  if (!openers().looked) return what + "/proc shows no process";
  if (const auto by = proc::processes_hidden_by(prefix_); !by.empty())
    return what + std::string(proc::why_processes_are_hidden(by));
  if (openers().unreadable == 0) return {};
  return what + fmt::format("no permission to read the descriptors of {} processes", openers().unreadable);
}

std::vector<std::string> Surroundings::mounts_elsewhere(dev_t device) {
  if (!elsewhere_) elsewhere_ = mounts::mounts_of_other_namespaces(prefix_);
  std::vector<std::string> all;
  for (const auto& [who, mounts] : *elsewhere_)
    for (const auto& point : mounts::kernel_use(tree_, tree_.name_of(device), mounts, {}).mounts)
      all.push_back(fmt::format("{}, in the mount namespace of {}", point, who));
  return all;
}

}  // namespace fathom::host::guards
