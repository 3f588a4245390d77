// This takes time before every run, so it does one lookup per disk. It reads a PMU's files only if its name matches a
// rule.
#include "witness/witness_list.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "audit/text.h"
#include "audit/witnesses/evidence.h"
#include "engine/userspace/nvme_devices.h"
#include "host/block_witness.h"
#include "host/disk/smart_witness.h"
#include "host/foreign_io_witness.h"
#include "host/mounts/storage_layers.h"
#include "host/pci/link_witness.h"
#include "host/pci/pci_tree.h"
#include "host/proc/text_file.h"
#include "io/engines.h"
#include "job/fields/files.h"
#include "nvme/device_address.h"
#include "pmu/pcie/pcie.h"
#include "pmu/pcie/pcie_witness.h"
#include "pmu/trace/byte_witness.h"
#include "result/findings/rows.h"
#include "witness/targets/file_state.h"
#include "witness/targets/without_disk.h"

namespace fathom::witness {
namespace {

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

// The controller of a namespace: the health log belongs to the controller. Empty: the target is not a device of the
// NVMe driver.
std::string controller_of(const std::string& device) {
  const auto address = nvme::parse_address(device);
  return address ? address->controller() : std::string();
}

// Targets that an engine reaches without the kernel's disks: nothing on this machine counts their bytes.
std::vector<result::Missing> targets_without_counter(const std::vector<run::files::Plan>& plans) {
  std::vector<result::Missing> out;
  for (const auto& plan : plans)
    for (const auto& target : plan.targets) {
      if (target.kind != io::TargetKind::device || !controller_of(target.path).empty()) continue;
      result::Missing one{
          fmt::format("counter for {}", target.path),
          fmt::format("ioengine={}: {}", plan.job.ioengine, io::traits_of(plan.job.ioengine).no_block_layer)};
      const auto same = [&](const auto& other) { return other.name == one.name; };
      if (std::none_of(out.begin(), out.end(), same)) out.push_back(std::move(one));
    }
  return out;
}

double read_ahead_of(const std::string& disk) {
  constexpr double kKiB = 1024;
  return kKiB *
         std::strtod(host::proc::read_line("/sys/class/block/" + disk + "/queue/read_ahead_kb").c_str(), nullptr);
}

// True for a journal of ext4: /proc/fs/jbd2/NAME-INODE.
bool has_journal(const std::string& device) {
  const auto names = host::proc::list_names("/proc/fs/jbd2");
  return std::any_of(names.begin(), names.end(), [&](const auto& name) { return name.starts_with(device + "-"); });
}

// With files on different file systems, the type is unknown.
void add_file_system(const host::placement::Placement& place, audit::witnesses::JobReach& reach) {
  const bool first = reach.files == 0, journal = has_journal(place.device_name);
  reach.file_system = first || reach.file_system == place.file_system ? place.file_system : "";
  reach.journal = journal && (first || reach.journal);
  reach.journals_data |= place.mount_options.find("data=journal") != std::string::npos;
}

audit::witnesses::JobReach reach_of(const run::files::Plan& plan, int number, host::placement::Placements& placements) {
  audit::witnesses::JobReach reach;
  reach.job_number = number;
  reach.direct = targets::is_direct(plan.job);
  reach.thread = plan.job.thread;
  reach.until_full = plan.job.of<job::fields::FileOptions>().fill_device;
  reach.syncs_on_close = plan.job.of<job::fields::FileOptions>().fsync_on_close;
  reach.sync_writes = plan.job.sync_mode != job::SyncMode::none || (plan.job.direct && !reach.direct);  // a mapping
  std::string device;
  bool on_partitions = true;
  const bool through_blocks = io::traits_of(plan.job.ioengine).no_block_layer.empty();
  for (const auto& target : plan.targets) {
    if (target.kind == io::TargetKind::device) add_once(reach.devices, controller_of(target.path));
    if (!through_blocks) continue;
    if (target.kind != io::TargetKind::block && target.kind != io::TargetKind::regular) continue;
    const auto& place = placements.of(target.path, plan.job.mode.writes);
    for (const auto& disk : place.disks) add_once(reach.disks, disk);
    on_partitions &= place.partition && place.disks.size() == 1;
    if (place.partition) add_once(reach.partitions, place.device_name);
    if (target.kind == io::TargetKind::block) continue;
    reach.perhaps_elsewhere |= place.may_lie_elsewhere;
    if (reach.disks.empty() && reach.unfollowed.empty() && !place.unfollowed.empty())
      reach.unfollowed = place.unfollowed, reach.overlaid = place.file_system == "overlay";
    if (reach.files == 0 || place.device_name != device) add_file_system(place, reach);
    device = place.device_name;
    reach.files += 1;
    reach.range_bytes += static_cast<double>(target.length);
  }
  if (!on_partitions) reach.partitions.clear();
  for (const auto& disk : reach.disks) reach.read_ahead_bytes = std::max(reach.read_ahead_bytes, read_ahead_of(disk));
  return reach;
}

bool has(const std::vector<std::string>& ways, std::string_view way) {
  return std::find(ways.begin(), ways.end(), way) != ways.end();
}

// "pmu:NAME".
std::string named_pmu(const std::vector<std::string>& ways) {
  for (const auto& way : ways)
    if (way.starts_with("pmu:")) return way.substr(4);
  return "";
}

// On a large server, reading the abilities of every PMU takes longer than the start of a run may take. So this checks
// their names first.
bool any_port_pmu() {
  const auto names = host::proc::list_names("/sys/bus/event_source/devices");
  return std::any_of(names.begin(), names.end(), [](const std::string& name) {
    const auto rules = pmu::pcie::pcie_rules();
    return std::any_of(rules.begin(), rules.end(), [&](const pmu::pcie::PcieRule& rule) {
      return name.starts_with(rule.pmu.substr(0, rule.pmu.find('*')));
    });
  });
}

struct Under {
  std::vector<std::string> disks, devices;
  std::vector<std::string> below;  // below the disks
  std::string unfollowed;
  bool reads = false, writes = false;
};

Under look_under(const std::vector<run::files::Plan>& plans, host::placement::Placements& placements,
                 audit::witnesses::Facts& facts) {
  Under under;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    auto reach = reach_of(plans[i], static_cast<int>(i), placements);
    for (const auto& disk : reach.disks) add_once(under.disks, disk);
    for (const auto& device : reach.devices) add_once(under.devices, device);
    if (under.unfollowed.empty()) under.unfollowed = reach.unfollowed;
    under.reads |= plans[i].job.mode.reads || plans[i].job.verify;
    under.writes |= plans[i].job.mode.writes;
    facts.jobs.push_back(std::move(reach));
  }
  for (auto& layer : host::mounts::storage_layers(under.disks)) {
    for (const auto& disk : layer.lower) add_once(under.below, disk);
    if (layer.lower.empty()) facts.missing.push_back({"disk below " + layer.upper, layer.cause});
    audit::witnesses::LayerReach reach{layer.upper,  layer.kind, layer.lower,        layer.file,
                                       layer.cached, 0,          layer.sparse_bytes, layer.memory};
    for (const auto& disk : layer.lower) reach.read_ahead_bytes = std::max(reach.read_ahead_bytes, read_ahead_of(disk));
    facts.layers.push_back(std::move(reach));
  }
  auto all = under.disks;
  for (const auto& disk : under.below) add_once(all, disk);
  for (const auto& disk : host::mounts::discarding_disks(all)) add_once(facts.discarding, disk);
  return under;
}

void add_foreign_io_witness(const std::vector<std::string>& watched, WitnessList& list) {
  if (watched.empty()) return;
  host::ForeignIoOptions options;
  options.disks = watched;
  list.witnesses.push_back(host::make_foreign_io_witness(std::move(options)));
}

void add_device_witnesses(const Under& under, const std::vector<std::string>& ways, WitnessList& list) {
  for (const auto& device : under.devices)
    list.witnesses.push_back(host::disk::make_smart_witness(
        "driver", device, [device] { return engine::userspace::nvme_health_log(device); }));
  if (!has(ways, "smart")) return;
  std::vector<std::string> controllers;
  for (const auto& disk : under.disks) add_once(controllers, host::disk::nvme_controller_of(disk));
  for (const auto& name : controllers)
    list.witnesses.push_back(
        host::disk::make_smart_witness("smart", name, [name] { return host::disk::read_health_log(name); }));
  if (controllers.empty())
    list.facts.missing.push_back({"health log", "no disk is an NVMe device of the kernel's driver"});
}

// The ports, each with the parts of the run behind it.
std::vector<audit::witnesses::PortReach> ports_of(const Under& under, std::string& cause) {
  std::vector<audit::witnesses::PortReach> ports;
  const auto add = [&](const host::pci::PortPath& path, const std::string& disk, const std::string& device) {
    if (path.ports.empty() && cause.empty()) cause = path.cause;
    for (const auto& address : path.ports) {
      auto at = std::find_if(ports.begin(), ports.end(), [&](const auto& p) { return p.port == address; });
      if (at == ports.end()) {
        ports.emplace_back();
        at = std::prev(ports.end());
        at->port = address;
      }
      for (const auto& function : path.functions) add_once(at->functions, function);
      add_once(at->disks, disk);
      add_once(at->devices, device);
    }
  };
  for (const auto& disk : under.disks) {
    const auto path = host::pci::port_of_disk(disk);
    for (const auto& below : path.disks) add(host::pci::port_of_disk(below), below, "");
    if (path.disks.empty()) add(path, disk, "");
  }
  for (const auto& device : under.devices)
    if (const auto address = nvme::parse_address(device); address && address->kind == nvme::TransportKind::vfio)
      add(host::pci::port_of(device), "", device);
  return ports;
}

void note_shared(std::vector<audit::witnesses::PortReach>& ports) {
  const auto all = host::pci::root_ports();
  for (auto& port : ports)
    for (const auto& root : all) {
      if (host::pci::to_string(root.address) != port.port) continue;
      for (const auto& function : root.behind)
        if (const auto name = host::pci::to_string(function.address);
            std::find(port.functions.begin(), port.functions.end(), name) == port.functions.end())
          port.shared.push_back(name);
    }
}

// The PMU named by the user, regardless of the device's port; otherwise the PMU of the port.
std::optional<pmu::pcie::PciePmu> pmu_for(const std::string& named, const std::string& port,
                                          const pmu::events::EventSources& sources) {
  if (!named.empty()) {
    for (auto& pmu : pmu::pcie::pcie_pmus(sources))
      if (pmu.pmu == named) return std::move(pmu);
    return std::nullopt;
  }
  const auto address = host::pci::parse_pci_address(port);
  return address ? pmu::pcie::pcie_pmu_of(*address, sources) : std::nullopt;
}

void add_port_witness(const job::Command& command, const Under& under, const pmu::pcie::PciePmu& pmu,
                      WitnessList& list) {
  pmu::pcie::PcieWitnessOptions options;
  options.pmu = pmu;
  options.sources = list.sources.get();
  options.reads = under.reads;
  options.writes = under.writes;
  options.link_events = has(command.audit, "link");
  options.unit_bytes = command.unit_bytes;
  list.witnesses.push_back(pmu::pcie::make_pcie_witness(options));
  if (!command.settle) return;
  options.idle = true;
  options.link_events = false;
  list.idle.push_back(pmu::pcie::make_pcie_witness(std::move(options)));
}

// A counter named for several ports is opened once. All traffic behind these ports is expected on it.
bool merged(const audit::witnesses::PortReach& port, std::vector<audit::witnesses::PortReach>& into) {
  for (auto& other : into) {
    if (other.subject != port.subject) continue;
    other.port += " and " + port.port;
    for (const auto& disk : port.disks) add_once(other.disks, disk);
    for (const auto& device : port.devices) add_once(other.devices, device);
    for (const auto& function : port.functions) add_once(other.functions, function);
    for (const auto& shared : port.shared) add_once(other.shared, shared);
    return true;
  }
  return false;
}

void add_port_witnesses(const job::Command& command, const Under& under, WitnessList& list) {
  std::string cause;
  auto ports = ports_of(under, cause);
  for (const auto& port : ports) {
    add_once(list.facts.link_ports, port.port);
    for (const auto& function : port.functions) add_once(list.facts.link_ports, function);
  }
  if (!list.facts.link_ports.empty()) list.witnesses.push_back(host::pci::make_link_witness(list.facts.link_ports));
  const std::string named = named_pmu(command.audit);
  if (!any_port_pmu()) cause = "this machine has no PMU that counts the bytes of a port";
  if (any_port_pmu() && !ports.empty()) {
    list.sources = std::make_unique<pmu::events::EventSources>();
    note_shared(ports);
    for (auto& port : ports) {
      const auto pmu = pmu_for(named, port.port, *list.sources);
      if (!pmu) {
        cause = named.empty() ? "no PMU counts the bytes of port " + port.port : "`" + named + "` counts no PCIe bytes";
        continue;
      }
      port.subject = pmu->pmu;
      if (merged(port, list.facts.ports)) continue;
      add_port_witness(command, under, *pmu, list);
      list.facts.ports.push_back(port);
    }
  }
  if (!list.facts.ports.empty()) return;
  list.facts.missing.push_back({std::string(kPciePmu), cause});
  if (has(command.audit, "pmu") || has(command.audit, "link") || !named.empty())
    list.findings.push_back(result::findings::found("audit.no_pmu", {.values = {{"cause", cause}}}));
}

}  // namespace

WitnessList list_witnesses(const job::Command& command, const std::vector<run::files::Plan>& plans,
                           host::placement::Placements& placements) {
  WitnessList list;
  list.facts.mode = audit::joined(command.audit, ",");
  list.facts.own_process = ::getpid();
  const Under under = look_under(plans, placements, list.facts);
  list.findings = targets::without_disk(plans, list.facts, placements);
  for (auto& none : targets_without_counter(plans)) list.facts.missing.push_back(std::move(none));
  if (under.disks.empty() && under.devices.empty()) {
    if (!list.facts.missing.empty()) return list;
    list.facts.missing.push_back(
        {"disk", under.unfollowed.empty() ? "these jobs do not use the kernel's block layer" : under.unfollowed});
    return list;
  }
  if (!under.unfollowed.empty()) list.facts.missing.push_back({"disk of every job", under.unfollowed});
  auto watched = under.disks;
  for (const auto& disk : under.below) add_once(watched, disk);
  add_foreign_io_witness(watched, list);
  add_device_witnesses(under, command.audit, list);
  add_port_witnesses(command, under, list);
  if (has(command.audit, "trace") && !under.disks.empty())
    list.witnesses.push_back(pmu::trace::make_byte_witness(under.disks));
  // The block counters begin last and end first: just after the port's counter begins, and just before it ends. Bytes
  // that other processes move between these moments would be a difference.
  for (const auto& reach : list.facts.jobs)
    for (const auto& partition : reach.partitions) add_once(watched, partition);
  if (!under.disks.empty()) list.witnesses.push_back(host::make_block_witness(watched));
  if (command.settle && !under.disks.empty()) list.idle.push_back(host::make_idle_block_witness(under.disks));
  return list;
}

namespace {

std::uint64_t counted(const std::vector<result::Count>& counts, const std::string& disk, std::string_view name) {
  for (const auto& count : counts)
    if (count.source == "block" && count.subject == disk && count.name == name)
      return static_cast<std::uint64_t>(count.value);
  return 0;
}

struct Commands {
  std::uint64_t reads = 0, read_bytes = 0, writes = 0, write_bytes = 0;
};

pmu::pcie::CommandOverhead overhead_of(const std::string& disk, const Commands& n) {
  return disk.empty() || disk.starts_with("nvme")
             ? pmu::pcie::nvme_overhead(n.reads, n.read_bytes, n.writes, n.write_bytes)
             : pmu::pcie::ahci_overhead(n.reads + n.writes, n.read_bytes + n.write_bytes);
}

// For the jobs that drive a device behind the port themselves.
Commands commands_of(const result::Run& run, const audit::witnesses::Facts& facts,
                     const audit::witnesses::PortReach& port) {
  Commands n;
  for (const auto& [job, reach, shared] : audit::witnesses::paired(run, facts)) {
    const auto behind = [&](const std::string& device) {
      return std::find(port.devices.begin(), port.devices.end(), device) != port.devices.end();
    };
    if (std::none_of(reach->devices.begin(), reach->devices.end(), behind)) continue;
    n.reads += job->dirs[0].moved_ios;
    n.read_bytes += job->dirs[0].moved_bytes;
    n.writes += job->dirs[1].moved_ios;
    n.write_bytes += job->dirs[1].moved_bytes;
  }
  return n;
}

void add(const pmu::pcie::CommandOverhead& overhead, audit::witnesses::PortReach& port) {
  port.read_overhead_bytes += overhead.to_memory_bytes;
  port.write_overhead_bytes += overhead.from_memory_bytes;
  port.overhead_how += (port.overhead_how.empty() ? "" : "; ") + overhead.how;
}

}  // namespace

void add_overhead(const result::Run& run, const std::vector<result::Count>& counts, audit::witnesses::Facts& facts) {
  for (auto& port : facts.ports) {
    for (const auto& disk : port.disks)
      add(overhead_of(disk, {counted(counts, disk, "read_ios"), counted(counts, disk, "read_sectors"),
                             counted(counts, disk, "write_ios"), counted(counts, disk, "write_sectors")}),
          port);
    if (!port.devices.empty()) add(overhead_of("", commands_of(run, facts, port)), port);
  }
}

}  // namespace fathom::witness
