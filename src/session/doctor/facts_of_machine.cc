// A fact has one reader, in the module that uses it; what may be refused is tried.
#include "session/doctor/facts_of_machine.h"

#include <fmt/format.h>
#include <liburing.h>
#include <unistd.h>

#include <utility>

#include "base/system/affinity.h"
#include "engine/queue/uring_setup.h"
#include "host/io_limits.h"
#include "host/machine/kernel_settings.h"
#include "host/pci/pci_tree.h"
#include "nvme/pci/controllers.h"
#include "nvme/pci/setup.h"
#include "paging/pressure/cgroup.h"
#include "paging/pressure/machine.h"
#include "paging/pressure/pressure.h"
#include "pmu/counters.h"
#include "pmu/events/sources.h"
#include "pmu/events/tracefs.h"
#include "pmu/open_errors.h"
#include "pmu/pcie/pcie.h"
#include "pmu/trace/programs/split_programs.h"
#include "session/paging_command.h"

namespace fathom::session::doctor {
namespace {

using audit::doctor::Attempt;
using audit::doctor::Facts;
using pmu::trace::programs::SplitPrograms;

Attempt refused(const base::Error& error) {
  return {error.what + (error.cause.empty() ? "" : ": " + error.cause), error.help};
}

void add_limits(Facts& facts) {
  facts.cpu_quotas = host::cpu_quotas();
  for (auto& limit : host::io_limits()) facts.io_limits.push_back(std::move(limit.text));
  namespace pressure = paging::pressure;
  pressure::LiveMachine machine;
  const auto limit = pressure::ambient_limit(machine, pressure::find_memory_controller(machine));
  if (limit.memory_bytes != pressure::kNoLimit) facts.memory_limit.bytes = limit.memory_bytes;
  if (limit.high_bytes != pressure::kNoLimit) facts.memory_limit.high_bytes = limit.high_bytes;
  facts.memory_limit.group = limit.group;
  constexpr std::uint64_t kAnyLimit_bytes = std::uint64_t{64} << 20;
  paging::PressurePlan plan;
  plan.limit_bytes = kAnyLimit_bytes;
  if (const auto able = pressure::Pressure::check(plan); !able) facts.paging_limit = refused(able.error());
  facts.left_by_killed = left_by_killed_runs();
  facts.left_by_killed_unknown = pressure::cannot_look();
}

// As `fathom pmu stat -e cycles:u true` opens it.
Attempt try_cycles(const pmu::events::EventSources& sources) {
  auto events = pmu::events::parse_events("cycles:u", sources);
  if (!events) return refused(events.error());
  pmu::OpenOptions options;
  options.tasks = {::getpid()};
  const auto counters = pmu::Counters::open(std::move(*events), options);
  return counters ? Attempt{} : refused(counters.error());
}

void add_counters(Facts& facts) {
  const pmu::events::EventSources sources;
  for (const auto& source : sources.all())
    if (source.core || source.name == "cpu") facts.perf.core_pmus.push_back(source.name);
  if (!facts.perf.core_pmus.empty()) facts.perf.cycles = try_cycles(sources);
  for (auto& counter : pmu::pcie::pcie_pmus(sources)) facts.perf.pcie_pmus.push_back(std::move(counter.pmu));
  facts.perf.root_ports = host::pci::root_ports().size();
  const int paranoid = pmu::read_paranoid();
  if (paranoid != pmu::kParanoidUnknown) facts.perf.paranoid = paranoid;
  facts.perf.permitted = pmu::permitted_at(paranoid);
}

// As the breakdown of a run does before its first worker starts.
void add_traces(Facts& facts) {
  auto programs = SplitPrograms::load({});
  if (!programs) {
    facts.bpf.load = refused(programs.error());
  } else if (const auto attached = (*programs)->attach(); !attached) {
    facts.bpf.load = refused(attached.error());
  } else {
    facts.bpf.classic = std::string((*programs)->events_by()) != "BTF programs";
  }
  if (const auto root = pmu::events::tracefs_root(); !root) facts.tracepoints = refused(root.error());
}

// As ioengine=io_uring at iodepth=1.
void add_io_uring(Facts& facts) {
  io_uring ring{};
  io_uring_params params{};
  engine::Setup setup;
  setup.depth = 1;
  const auto made = engine::queue::set_up_ring(setup, 0, ring, params, facts.io_uring.missing);
  if (made) {
    ::io_uring_queue_exit(&ring);
    return;
  }
  facts.io_uring.ring = refused(made.error());
  facts.io_uring.error = made.error().sys_errno;
}

}  // namespace

void add_rights(Facts& facts, const std::string& prefix) {
  facts.rights = host::machine::own_rights(prefix);
  facts.perf.kptr_restrict = host::machine::kernel_setting("kernel.kptr_restrict", prefix);
  facts.bpf.unprivileged_disabled = host::machine::kernel_setting("kernel.unprivileged_bpf_disabled", prefix);
  facts.io_uring.disabled = host::machine::kernel_setting("kernel.io_uring_disabled", prefix);
}

void add_hardware(Facts& facts, const std::string& prefix) {
  facts.frequency = host::machine::cpu_frequency(facts.cpus, prefix);
  facts.huge_pages = host::machine::huge_pages(prefix);
  facts.thp = host::machine::thp_setting("enabled", prefix);
  facts.disks = host::machine::disk_queues(prefix);
  std::vector<std::string> disks;
  for (const auto& disk : facts.disks) disks.push_back(disk.facts.disk);
  facts.interrupts = host::machine::disk_interrupts(disks, prefix);
  const nvme::pci::Sysfs sysfs(prefix);
  const auto vfio = nvme::pci::vfio_state(sysfs);
  facts.nvme.iommu_groups = vfio.iommu_groups;
  facts.nvme.vfio_driver = vfio.driver_loaded;
  for (const auto& controller : nvme::pci::list_controllers(sysfs))
    facts.nvme.controllers.push_back(
        fmt::format("{} ({})", controller.address, controller.driver.empty() ? "no driver" : controller.driver));
}

void add_facts_of_machine(Facts& facts) {
  facts.cpus = base::system::allowed_cpus();
  add_rights(facts, "");
  add_limits(facts);
  add_counters(facts);
  add_traces(facts);
  add_io_uring(facts);
  add_hardware(facts, "");
}

}  // namespace fathom::session::doctor
