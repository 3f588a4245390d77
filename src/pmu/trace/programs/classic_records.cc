// Source: include/trace/events/block.h of the kernel (meaning), tracefs format files (layout).
#include "pmu/trace/programs/classic_records.h"

#include <bit>
#include <string>
#include <tuple>

#include "host/disk/block_tree.h"
#include "host/proc/text_file.h"
#include "pmu/events/tracefs.h"
#include "pmu/trace/event_format.h"
#include "pmu/trace/target_map.h"

namespace fathom::pmu::trace::programs {
namespace {

constexpr std::uint32_t kWays = 8;

// In the order of split_slots.bpf.h.
struct Wants {
  const char* tracepoint;
  const char* sectors;
  bool error;
};
constexpr Wants kWants[kRecords] = {
    {"block_bio_queue", "nr_sector", false},   {"block_split", "new_sector", false},
    {"block_bio_complete", "nr_sector", true}, {"block_getrq", "nr_sector", false},
    {"block_rq_issue", "nr_sector", false},    {"block_rq_complete", "nr_sector", false}};

base::Expected<std::uint32_t> offset_of(const EventFormat& format, const char* name, std::size_t bytes) {
  const auto* field = format.find(name);
  if (field != nullptr && (field->size == bytes || bytes == 0)) return static_cast<std::uint32_t>(field->offset);
  return base::Error{.kind = base::ErrorKind::io,
                     .what = "the tracepoint " + format.name + " tells no " + name + " in the supported format",
                     .cause = "this kernel's records have another format",
                     .help = "",
                     .place = std::nullopt};
}

base::Expected<Record> record_of(const std::string& folder, const Wants& wants) {
  const auto format = load_event_format(folder, "block", wants.tracepoint);
  if (!format) return format.error();
  const std::size_t bytes = std::string(wants.sectors) == "new_sector" ? 8 : 4;
  Record out{};
  const std::tuple<const char*, std::size_t, std::uint32_t*> fields[] = {
      {"dev", 4, &out.dev}, {"sector", 8, &out.sector}, {wants.sectors, bytes, &out.sectors}, {"rwbs", 0, &out.rwbs}};
  for (const auto& [name, size, to] : fields) {
    const auto at = offset_of(*format, name, size);
    if (!at) return at.error();
    *to = *at;
  }
  if (!wants.error) return out;
  const auto at = offset_of(*format, "error", 4);
  if (!at) return at.error();
  out.error = *at;
  return out;
}

bool put(std::vector<Partition>& table, const Partition& partition) {
  const auto mask = static_cast<std::uint32_t>(table.size() - 1);
  for (std::uint32_t w = 0; w < kWays; ++w) {
    auto& at = table[(partition.dev * 0x9E3779B1u + w) & mask];
    if (at.dev != 0) continue;
    at = partition;
    return true;
  }
  return false;
}

}  // namespace

base::Expected<void> read_records(Record (&to)[kRecords]) {
  const auto folder = events::tracefs_root();
  if (!folder) return folder.error();
  for (std::size_t i = 0; i < kRecords; ++i) {
    const auto record = record_of(*folder, kWants[i]);
    if (!record) return record.error();
    to[i] = *record;
  }
  return {};
}

std::vector<Partition> table_of(const std::vector<Partition>& partitions) {
  if (partitions.empty()) return {};
  for (std::size_t size = std::bit_ceil(2 * partitions.size() + kWays);; size *= 2) {
    std::vector<Partition> table(size);
    bool fits = true;
    for (const auto& partition : partitions) fits = fits && put(table, partition);
    if (fits) return table;
  }
}

std::vector<Partition> partitions_of_machine() {
  const host::disk::BlockTree tree;
  std::vector<Partition> out;
  for (const auto& name : host::proc::list_names("/sys/class/block")) {
    if (!tree.is_partition(name)) continue;
    const auto dev = tree.device_of(name), disk = tree.device_of(tree.whole_disk(name));
    if (dev && disk) out.push_back({kernel_dev(*dev), kernel_dev(*disk)});
  }
  return out;
}

}  // namespace fathom::pmu::trace::programs
