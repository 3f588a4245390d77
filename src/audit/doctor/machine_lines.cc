// The hardware and its settings: processor, memory, disks, and what a driver in user space needs.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "audit/doctor/lines.h"
#include "base/system/cpu_list.h"
#include "base/text/unit_text.h"

namespace fathom::audit::doctor {
namespace {

void add_clause(std::string& list, const std::string& clause) { list += (list.empty() ? "" : "; ") + clause; }

std::string queue_file(const std::string& disk, const char* file) {
  return fmt::format("/sys/block/{}/queue/{}", disk, file);
}

std::string disk_text(const host::machine::DiskQueue& disk) {
  const auto& facts = disk.facts;
  std::string text = fmt::format("{}, {}", disk.kind, base::text::gib_text(facts.size_bytes));
  if (!facts.model.empty()) text += ", " + facts.model;
  text += fmt::format(", scheduler {}, {}", facts.scheduler.empty() ? "unknown" : facts.scheduler,
                      facts.rotational ? "rotational" : "not rotational");
  if (!disk.write_cache.empty()) text += ", cache " + disk.write_cache;
  return text + (disk.poll_queues ? ", poll queues" : facts.no_poll ? ", no poll queues" : "");
}

// A scheduler orders the I/Os of a rotating disk. A guest's disk reports that it rotates, also on flash.
bool needs_no_scheduler(const host::machine::DiskQueue& disk) {
  return !disk.facts.rotational || disk.kind == "virtio" || disk.kind == "Xen";
}

Line disk_line(const host::machine::DiskQueue& disk, bool all_off) {
  const std::string& name = disk.facts.disk;
  std::string cost, remedy;
  auto severity = result::Severity::note;
  std::vector<Ability> prevents;
  if (disk.iostats_off) {
    add_clause(cost, "the kernel does not count its I/Os, so bytes are not checked");
    add_clause(remedy, "echo 1 | sudo tee " + queue_file(name, "iostats"));
    severity = result::Severity::warning;
    if (all_off) prevents.push_back(Ability::disk_bytes);
  }
  const std::string& scheduler = disk.facts.scheduler;
  if (!scheduler.empty() && scheduler != "none" && needs_no_scheduler(disk)) {
    add_clause(cost, scheduler + " takes CPU time for each I/O and may change the order");
    add_clause(remedy, "echo none | sudo tee " + queue_file(name, "scheduler"));
  }
  Line line = lacking_line("disk " + name, disk_text(disk), cost, remedy, std::move(prevents));
  line.check.severity = severity;
  line.check.value = static_cast<double>(disk.facts.size_bytes);
  line.check.unit = "bytes";
  return line;
}

Line interrupt_line(const host::machine::DiskInterrupts& disk, const std::vector<int>& usable) {
  std::set<int> handling;
  std::string numbers;
  for (const auto& queue : disk.queues) {
    handling.insert(queue.cpus.begin(), queue.cpus.end());
    numbers += fmt::format("{}{}", numbers.empty() ? "" : " ", queue.number);
  }
  const std::vector<int> cpus(handling.begin(), handling.end());
  const bool some_usable = std::any_of(
      cpus.begin(), cpus.end(), [&](int cpu) { return std::find(usable.begin(), usable.end(), cpu) != usable.end(); });
  const std::size_t queues = disk.queues.size();
  const std::string name = "interrupts of " + disk.disk;
  const std::string text = fmt::format("{} queue{}, CPU{} {}", queues, queues == 1 ? "" : "s",
                                       cpus.size() == 1 ? "" : "s", base::system::cpu_list_text(cpus));
  if (queues > 1 && usable.size() > 1 && cpus.size() == 1) {
    Line line = lacking_line(
        name, text, "one CPU handles all completions, and limits the rate",
        fmt::format("for n in {}; do echo {} | sudo tee /proc/irq/$n/smp_affinity_list; done; or start irqbalance",
                    numbers, base::system::cpu_list_text(usable)));
    line.check.severity = result::Severity::warning;
    return line;
  }
  if (!some_usable && !usable.empty())
    return lacking_line(name, text + ", which this process may not use", "each completion wakes a job on another CPU",
                        "run on these CPUs: taskset -c " + base::system::cpu_list_text(cpus) + " fathom ...");
  return sound_line(name, text);
}

}  // namespace

void check_governor(const Facts& f, Lines& out) {
  constexpr const char* kName = "frequency governor";
  std::string text;
  bool varies = false;
  for (const auto& row : f.frequency.governors) {
    add_clause(text, fmt::format("{} (CPUs {})", row.governor, base::system::cpu_list_text(row.cpus)));
    varies |= row.governor != "performance";
  }
  if (text.empty()) {
    out.push_back(sound_line(kName, "none: firmware or a hypervisor sets the frequency"));
    return;
  }
  out.push_back(
      measured_line(kName, text, std::nullopt, "",
                    varies ? "echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor" : ""));
  if (varies) out.back().check.cost = "a CPU that was idle is slow at first: latencies at low depth vary";
}

void check_turbo(const Facts& f, Lines& out) {
  if (f.frequency.turbo)
    out.push_back(
        sound_line("turbo", *f.frequency.turbo ? "on: the frequency depends on load and temperature" : "off"));
}

void check_smt(const Facts& f, Lines& out) {
  if (!f.frequency.smt.empty())
    out.push_back(sound_line(
        "SMT", f.frequency.smt +
                   (f.frequency.smt == "on" ? ": two jobs may share a core; cpus_allowed= separates them" : "")));
}

void check_huge_pages(const Facts& f, Lines& out) {
  constexpr const char* kName = "huge pages";
  std::string text;
  std::uint64_t available = 0;
  for (const auto& pool : f.huge_pages) {
    add_clause(text,
               fmt::format("{}: {} of {} free", base::text::size_text(pool.page_bytes), pool.available(), pool.total));
    available += pool.available();
  }
  if (text.empty()) text = "this kernel has none";
  out.push_back(available > 0 ? sound_line(kName, text)
                              : lacking_line(kName, text,
                                             "NVMe from user space uses ordinary pages; `iomem=mmaphuge` and `fathom "
                                             "paging --memory=hugetlb` do not start",
                                             "sudo fathom nvme setup --huge=512"));
}

void check_thp(const Facts& f, Lines& out) {
  constexpr const char* kName = "transparent huge pages";
  if (f.thp.empty() || f.thp == "never")
    out.push_back(lacking_line(kName, f.thp.empty() ? "this kernel has none" : f.thp,
                               "`fathom paging --thp` and `--madvise=hugepage` get ordinary pages",
                               f.thp.empty() ? "boot a kernel with CONFIG_TRANSPARENT_HUGEPAGE"
                                             : "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled"));
  else
    out.push_back(sound_line(kName, f.thp));
}

void check_disks(const Facts& f, Lines& out) {
  if (f.disks.empty()) {
    out.push_back(lacking_line("disks", "none in /sys/class/block", "bytes are not compared with counters of a disk",
                               "mount the machine's /sys in the container", {Ability::disk_bytes}));
    return;
  }
  const bool all_off = std::all_of(f.disks.begin(), f.disks.end(), [](const auto& disk) { return disk.iostats_off; });
  for (const auto& disk : f.disks) out.push_back(disk_line(disk, all_off));
}

void check_interrupts(const Facts& f, Lines& out) {
  for (const auto& disk : f.interrupts) out.push_back(interrupt_line(disk, f.cpus));
}

void check_iommu(const Facts& f, Lines& out) {
  constexpr const char* kName = "IOMMU";
  const std::size_t groups = f.nvme.iommu_groups;
  out.push_back(groups > 0 ? sound_line(kName, fmt::format("{} groups", groups))
                           : lacking_line(kName, "the kernel uses none", "no real NVMe controller from user space",
                                          "enable VT-d or AMD-Vi in the firmware, add intel_iommu=on or amd_iommu=on "
                                          "to the kernel's command line, and boot again",
                                          {Ability::user_nvme}));
}

void check_vfio(const Facts& f, Lines& out) {
  out.push_back(f.nvme.vfio_driver ? sound_line("vfio-pci", "loaded")
                                   : lacking_line("vfio-pci", "not loaded", "no real NVMe controller from user space",
                                                  "sudo modprobe vfio-pci", {Ability::user_nvme}));
}

void check_controllers(const Facts& f, Lines& out) {
  const auto& controllers = f.nvme.controllers;
  out.push_back(controllers.empty()
                    ? lacking_line("NVMe controllers", "none on the PCI bus", "only the emulated controller",
                                   "fathom nvme perf --device=soft", {Ability::user_nvme})
                    : sound_line("NVMe controllers", fmt::format("{}", fmt::join(controllers, ", "))));
}

}  // namespace fathom::audit::doctor
