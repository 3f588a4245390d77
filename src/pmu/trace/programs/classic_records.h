// The load-time data of split_classic.bpf.c: the locations of the fields in the tracepoints' records, by their format
// files, and the disk of each partition, since a bio's record names the partition and a request's the disk.
// Errors: no tracefs, no permission, a format without one of the fields. Thread rule: one thread.
#pragma once
#include <cstdint>
#include <vector>

#include "base/error.h"

namespace fathom::pmu::trace::programs {

// As in split_slots.bpf.h.
struct Record {
  std::uint32_t dev, sector, sectors, rwbs, error, spare;
};
inline constexpr std::size_t kRecords = 6;

// As in split_classic.bpf.c. Numbers are the kernel's internal ones (major << 20 | minor).
struct Partition {
  std::uint32_t dev, disk;
};

base::Expected<void> read_records(Record (&to)[kRecords]);

// A table with a power of two of entries; each partition is at most eight steps from its hash. Empty: the machine has
// no partitions.
std::vector<Partition> table_of(const std::vector<Partition>& partitions);
std::vector<Partition> partitions_of_machine();

}  // namespace fathom::pmu::trace::programs
