// The I/O commands (NVM Command Set Specification 1.0c, section 3), except reads and writes of the ideal path. The
// ideal medium checks namespace, length and blocks like the others, and ignores addresses.
#include <algorithm>
#include <cstring>

#include "nvme/soft/state.h"

namespace fathom::nvme::soft {
namespace {

std::uint64_t first_block(const Command& command) { return command.cdw10 | std::uint64_t{command.cdw11} << 32; }
std::uint64_t block_count(const Command& command) { return (command.cdw12 & 0xffff) + 1; }

bool in_range(const State& state, std::uint64_t first, std::uint64_t count) {
  return first <= state.shape.blocks && count <= state.shape.blocks - first;
}

std::uint64_t byte_offset(const State& state, std::uint32_t nsid, std::uint64_t block) {
  return state.options.size_bytes * (nsid - 1) + (block << state.shape.block_shift);
}

Status find_data(State& state, const Command& command, std::uint64_t bytes) {
  const bool to_host = static_cast<NvmOpcode>(command.opcode) == NvmOpcode::read;
  return memory::resolve(state.regions, {command.prp1, command.prp2}, bytes,
                         to_host ? memory::Access::write : memory::Access::read, state.page_bytes, state.segments);
}

Status compare(State& state, std::uint64_t offset) {
  for (const memory::Segment& segment : state.segments) {
    state.page.resize(segment.bytes);
    const memory::Segment own{state.page.data(), segment.bytes};
    if (!state.store->read(offset, std::span(&own, 1))) return kUnrecoveredReadError;
    if (std::memcmp(own.memory, segment.memory, segment.bytes) != 0) return kCompareFailure;
    offset += segment.bytes;
  }
  return kSuccess;
}

Status move_data(State& state, NvmOpcode opcode, std::uint64_t offset) {
  switch (opcode) {
    case NvmOpcode::read:
      return state.store->read(offset, state.segments) ? kSuccess : kUnrecoveredReadError;
    case NvmOpcode::write:
      return state.store->write(offset, state.segments) ? kSuccess : kWriteFault;
    default:
      return compare(state, offset);
  }
}

void count(State& state, NvmOpcode opcode, std::uint64_t bytes) {
  const bool write = opcode == NvmOpcode::write;
  ++(write ? state.counters.writes : state.counters.reads);
  (write ? state.counters.bytes_written : state.counters.bytes_read) += bytes;
}

Outcome transfer(State& state, const Command& command) {
  const std::uint64_t first = first_block(command), blocks = block_count(command);
  if (blocks - 1 > state.shape.nlb_most) return {kInvalidField};
  if (!in_range(state, first, blocks)) return {kLbaOutOfRange};
  const auto opcode = static_cast<NvmOpcode>(command.opcode);
  const std::uint64_t bytes = blocks << state.shape.block_shift;
  if (state.store != nullptr) {
    if (const Status status = find_data(state, command, bytes); status != kSuccess) return {status};
    if (const Status status = move_data(state, opcode, byte_offset(state, command.nsid, first)); status != kSuccess)
      return {status};
  }
  count(state, opcode, bytes);
  return {};
}

Outcome flush(State& state, const Command&) {
  return {state.store == nullptr || state.store->flush() ? kSuccess : kWriteFault};
}

Status zero(State& state, std::uint32_t nsid, std::uint64_t first, std::uint64_t blocks) {
  if (state.store == nullptr) return kSuccess;
  const bool done = state.store->zero(byte_offset(state, nsid, first), blocks << state.shape.block_shift);
  return done ? kSuccess : kWriteFault;
}

Outcome write_zeroes(State& state, const Command& command) {
  const std::uint64_t first = first_block(command), blocks = block_count(command);
  if (!in_range(state, first, blocks)) return {kLbaOutOfRange};
  return {zero(state, command.nsid, first, blocks)};
}

// Up to 256 ranges. Nothing is deallocated unless all of them are valid. Other hints are accepted, and ignored.
Outcome dataset_management(State& state, const Command& command) {
  DsmRange ranges[256];
  const std::size_t amount = (command.cdw10 & 0xff) + 1;
  if (const Status status = find_data(state, command, amount * sizeof(DsmRange)); status != kSuccess) return {status};
  auto* to = reinterpret_cast<std::byte*>(ranges);
  for (const memory::Segment& segment : state.segments) {
    std::memcpy(to, segment.memory, segment.bytes);
    to += segment.bytes;
  }
  for (std::size_t i = 0; i < amount; ++i)
    if (!in_range(state, ranges[i].lba, ranges[i].blocks)) return {kLbaOutOfRange};
  if ((command.cdw11 & kDsmDeallocate) == 0) return {};
  for (std::size_t i = 0; i < amount; ++i)
    if (const Status status = zero(state, command.nsid, ranges[i].lba, ranges[i].blocks); status != kSuccess)
      return {status};
  return {};
}

struct IoRow {
  NvmOpcode opcode;
  Outcome (*execute)(State&, const Command&);
  bool all_namespaces;  // NSID FFFFFFFFh is permitted
};
constexpr IoRow kIoRows[] = {
    {NvmOpcode::read, transfer, false},
    {NvmOpcode::write, transfer, false},
    {NvmOpcode::compare, transfer, false},
    {NvmOpcode::flush, flush, true},
    {NvmOpcode::write_zeroes, write_zeroes, false},
    {NvmOpcode::dataset_management, dataset_management, false},
};

}  // namespace

Outcome execute_io(State& state, const Command& command) {
  for (const IoRow& row : kIoRows) {
    if (static_cast<std::uint8_t>(row.opcode) != command.opcode) continue;
    if ((command.flags & 0xc3) != 0) return {kInvalidField};  // fused command, or SGL
    const bool all = row.all_namespaces && command.nsid == 0xffffffff;
    return all || state.namespace_is_active(command.nsid) ? row.execute(state, command) : Outcome{kInvalidNamespace};
  }
  return {kInvalidOpcode};
}

}  // namespace fathom::nvme::soft
