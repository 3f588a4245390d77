// Each fact takes one read of one small file.
#include "host/facts.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "base/system/affinity.h"
#include "host/disk/block_tree.h"
#include "host/disk/disk_facts.h"
#include "host/machine/cpu_frequency.h"
#include "host/proc/hypervisor.h"
#include "host/proc/proc_text.h"
#include "host/proc/text_file.h"

namespace fathom::host {
namespace {

constexpr std::size_t kFirstCpuBytes = 8192;  // /proc/cpuinfo: the first processor's block is sufficient

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
  facts.governor = machine::governor_of(0);
}

void add_sizes(result::HostFacts& facts) {
  facts.cpus_online = static_cast<std::uint32_t>(std::max(::sysconf(_SC_NPROCESSORS_ONLN), 0L));
  facts.cpus_allowed = static_cast<std::uint32_t>(base::system::allowed_cpus().size());
  facts.memory_bytes = proc::meminfo_bytes(proc::read_text("/proc/meminfo"), "MemTotal");
  facts.page_bytes = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  double load = 0;
  if (::getloadavg(&load, 1) == 1) facts.load_average_1min = load;
}

}  // namespace

result::DeviceFacts device_facts(const placement::Placement& target) {
  result::DeviceFacts facts;
  facts.target = target.path;
  facts.kind = target.kind;
  facts.file_system = target.file_system;
  facts.mount_point = target.mount_point;
  facts.mount_options = target.mount_options;
  const std::string& name = target.kind == "block" ? target.device_name : target.disk;
  if (!name.empty()) disk::add_disk_facts(facts, disk::BlockTree(), name);
  return facts;
}

result::HostFacts collect_facts(std::span<const placement::Placement> targets) {
  result::HostFacts facts;
  add_machine(facts);
  add_sizes(facts);
  for (const auto& target : targets) facts.devices.push_back(device_facts(target));
  return facts;
}

}  // namespace fathom::host
