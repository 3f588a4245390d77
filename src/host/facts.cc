// Each fact is one read of one small file; the mount table is read once for all targets.
#include "host/facts.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "base/system/affinity.h"
#include "host/disk/block_tree.h"
#include "host/disk/disk_facts.h"
#include "host/mounts/locate.h"
#include "host/proc/hypervisor.h"
#include "host/proc/proc_text.h"
#include "host/proc/text_file.h"

namespace fathom::host {
namespace {

constexpr std::size_t kFirstCpuBytes = 8192;  // /proc/cpuinfo: the first processor's block is enough

void add_machine(result::HostFacts& facts) {
  utsname name{};
  if (::uname(&name) == 0) {
    facts.hostname = name.nodename;
    facts.kernel = name.release;
    facts.machine = name.machine;
  }
  const std::string cpuinfo = proc::read_text("/proc/cpuinfo", kFirstCpuBytes);
  facts.cpu_model = proc::cpu_model(cpuinfo);
  facts.hypervisor = proc::find_hypervisor(cpuinfo);
  std::string os_release = proc::read_text("/etc/os-release");
  if (os_release.empty()) os_release = proc::read_text("/usr/lib/os-release");
  facts.distribution = proc::os_release_value(os_release, "PRETTY_NAME");
  facts.clock_source = proc::read_line("/sys/devices/system/clocksource/clocksource0/current_clocksource");
  facts.governor = proc::read_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
}

void add_sizes(result::HostFacts& facts) {
  facts.cpus_online = static_cast<std::uint32_t>(std::max(::sysconf(_SC_NPROCESSORS_ONLN), 0L));
  facts.cpus_allowed = static_cast<std::uint32_t>(base::system::allowed_cpus().size());
  facts.memory_bytes = proc::meminfo_bytes(proc::read_text("/proc/meminfo"), "MemTotal");
  facts.page_bytes = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  double load = 0;
  if (::getloadavg(&load, 1) == 1) facts.load_average_1min = load;
}

result::DeviceFacts target_facts(const mounts::Locator& locator, const std::string& path) {
  const disk::BlockTree tree;
  result::DeviceFacts facts;
  facts.target = path;
  facts.kind = mounts::Locator::kind(path);
  if (const mounts::Mount* mount = locator.mount(path)) {
    facts.file_system = mount->file_system;
    facts.mount_point = mount->mount_point;
    facts.mount_options = mount->options;
  }
  const std::string name = tree.name_of(locator.device(path));
  if (!name.empty()) disk::add_disk_facts(facts, tree, facts.kind == "block" ? name : tree.whole_disk(name));
  return facts;
}

}  // namespace

result::HostFacts collect_facts(std::span<const std::string> target_paths) {
  result::HostFacts facts;
  add_machine(facts);
  add_sizes(facts);
  const mounts::Locator locator;
  for (const auto& path : target_paths) facts.devices.push_back(target_facts(locator, path));
  return facts;
}

result::DeviceFacts device_facts(const std::string& target_path) {
  return target_facts(mounts::Locator(), target_path);
}

}  // namespace fathom::host
