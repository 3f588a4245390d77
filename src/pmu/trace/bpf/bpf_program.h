// The program that runs at a tracepoint of the block layer: if it is switched on and the event is of one of the
// devices, the moment and what the split needs are put into a ring. It returns 1, so that whoever else samples the
// tracepoint by perf_event_open(2) still gets his samples. Where the fields lie in the event is the format file's to
// say. Pure; thread-safe.
#pragma once
#include <linux/bpf.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/error.h"
#include "pmu/trace/block_event.h"
#include "pmu/trace/event_format.h"

namespace fathom::pmu::trace::bpf {

// What a program writes for an event.
struct BpfRecord {
  std::uint64_t time_ns;  // CLOCK_MONOTONIC
  std::uint64_t sector;
  std::uint32_t sectors;
  std::uint32_t dev;
  std::uint32_t process;  // that was running, at block_bio_queue; 0 elsewhere: nobody asks
  char rwbs[2];           // the first letters: they tell the direction
  std::uint8_t point;     // BlockPoint
  std::uint8_t spare;
};
static_assert(sizeof(BpfRecord) == 32);

// What a program and its reader share.
struct BpfControl {
  std::uint32_t on;
  std::uint32_t spare;
  std::uint64_t no_room;  // events for which the ring had none
};

// Whose process numbers are asked for: those of a PID namespace, told by the inode of /proc/self/ns/pid.
struct PidNamespace {
  std::uint64_t device, inode;  // as the kernel counts inside
};

struct BpfProgram {
  BlockPoint point = BlockPoint::bio_queue;
  std::vector<std::uint32_t> devices;  // as BlockEvent::dev
  int control_fd = -1, ring_fd = -1;
  std::optional<PidNamespace> space;  // nothing: the machine's own numbers
};

// Errors: a field that the format lacks, or that a program may not read because it does not lie at its own width.
base::Expected<std::vector<bpf_insn>> assemble(const BpfProgram& program, const EventFormat& format);

// A record out of the ring. Nothing: too short, or not one of ours.
std::optional<BlockEvent> parse_record(std::span<const std::byte> bytes);

}  // namespace fathom::pmu::trace::bpf
