// What split_classic.bpf.c has to be told before it is loaded: where the fields of the tracepoints' records lie, by their
// format files, and which disk a partition is on, since a bio's record names the partition and a request's the disk.
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

// As in split_classic.bpf.c. Numbers are the kernel's inside (major << 20 | minor).
struct Partition {
  std::uint32_t dev, disk;
};

base::Expected<void> read_records(Record (&to)[kRecords]);

// Of a power of two, in which each is found within eight steps from its hash; empty: the machine has none.
std::vector<Partition> table_of(const std::vector<Partition>& partitions);
std::vector<Partition> partitions_of_machine();

}  // namespace fathom::pmu::trace::programs
