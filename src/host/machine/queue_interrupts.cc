// A driver names its interrupts after its device; /proc/interrupts has the names, /proc/irq/N the CPUs.
#include "host/machine/queue_interrupts.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "base/system/cpu_list.h"
#include "host/disk/smart_witness.h"
#include "host/proc/proc_text.h"
#include "host/proc/text_file.h"

namespace fathom::host::machine {
namespace {

// "nvme0q" or "virtio1-"; empty: the disk has neither driver.
std::string name_begins(const std::string& disk, const std::string& prefix) {
  if (const auto controller = disk::nvme_controller_of(disk, prefix); !controller.empty()) return controller + "q";
  std::error_code error;
  const auto link = std::filesystem::read_symlink(prefix + "/sys/class/block/" + disk + "/device", error);
  const std::string device = error ? "" : link.filename().string();
  return device.starts_with("virtio") ? device + "-" : "";
}

// Not of NVMe's admin queue (nvme0q0), nor of a configuration change (virtio1-config).
bool is_queue(std::string_view name, std::string_view begin) {
  if (!name.starts_with(begin)) return false;
  const auto rest = name.substr(begin.size());
  if (begin.ends_with('q')) return !rest.empty() && rest != "0" && rest.find_first_not_of("0123456789") == rest.npos;
  return rest.starts_with("req") || rest == "virtqueues";
}

std::vector<int> cpus_of(unsigned number, const std::string& prefix) {
  for (const char* file : {"effective_affinity_list", "smp_affinity_list"}) {
    auto cpus = base::system::kernel_cpu_list(proc::read_line(fmt::format("{}/proc/irq/{}/{}", prefix, number, file)));
    if (!cpus.empty()) return cpus;
  }
  return {};
}

// A line is "36:  counts of each CPU  chip  name"; drivers that share an interrupt are separated by commas.
std::vector<QueueInterrupt> interrupts_of(std::string_view interrupts, std::string_view begin,
                                          const std::string& prefix) {
  std::vector<QueueInterrupt> queues;
  for (const auto line : proc::split_lines(interrupts)) {
    const auto fields = proc::split_fields(line);
    unsigned number = 0;
    if (fields.empty()) continue;
    const auto [end, error] = std::from_chars(fields[0].data(), fields[0].data() + fields[0].size(), number);
    if (error != std::errc() || end == fields[0].data() + fields[0].size() || *end != ':') continue;
    for (auto field : fields) {
      if (field.ends_with(',')) field.remove_suffix(1);
      if (is_queue(field, begin)) queues.push_back({number, std::string(field), cpus_of(number, prefix)});
    }
  }
  return queues;
}

}  // namespace

std::vector<DiskInterrupts> disk_interrupts(std::span<const std::string> disks, const std::string& prefix) {
  const std::string interrupts = proc::read_text(prefix + "/proc/interrupts");
  std::vector<DiskInterrupts> found;
  for (const auto& disk : disks) {
    const std::string begin = name_begins(disk, prefix);
    if (begin.empty()) continue;
    auto queues = interrupts_of(interrupts, begin, prefix);
    const bool known = !queues.empty() &&
                       std::none_of(queues.begin(), queues.end(), [](const auto& queue) { return queue.cpus.empty(); });
    if (known) found.push_back({disk, std::move(queues)});
  }
  return found;
}

}  // namespace fathom::host::machine
