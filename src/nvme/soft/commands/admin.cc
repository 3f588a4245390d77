// The admin commands, one row each (NVM Express Base Specification 2.0c, section 5).
#include <algorithm>
#include <cstring>

#include "nvme/soft/state.h"

namespace fathom::nvme::soft {
namespace {

// Section 5.1. Result bit 0 is clear if the command was still there; it then ends with "abort requested".
Outcome abort(State& state, const Command& command) {
  const auto sq_id = static_cast<std::uint16_t>(command.cdw10);
  const auto cid = static_cast<std::uint16_t>(command.cdw10 >> 16);
  memory::CompletionRing& cq = *state.admin->completions;
  if (sq_id == 0 && cq.room() != 0 && state.events.take_back(cid)) {
    ++cq.reserved;
    complete(*state.admin, cid, {kAbortRequested});
    return {};
  }
  const auto wanted = [&](const Pending& p) { return p.sq_id == sq_id && p.cid == cid; };
  const auto found = std::find_if(state.pending.begin(), state.pending.end(), wanted);
  if (found == state.pending.end()) return {kSuccess, 1};
  found->due_ns = 0;
  found->outcome = {kAbortRequested};
  std::make_heap(state.pending.begin(), state.pending.end());
  return {};
}

Outcome async_event_request(State& state, const Command& command) {
  if (!state.events.lend(command.cid)) return {kAsyncEventLimit};
  return {kSuccess, 0, true};
}

Outcome keep_alive(State&, const Command&) { return {}; }

struct AdminRow {
  AdminOpcode opcode;
  Outcome (*execute)(State&, const Command&);
};
constexpr AdminRow kAdminRows[] = {
    {AdminOpcode::delete_io_sq, delete_submission_queue},
    {AdminOpcode::create_io_sq, create_submission_queue},
    {AdminOpcode::get_log_page, get_log_page},
    {AdminOpcode::delete_io_cq, delete_completion_queue},
    {AdminOpcode::create_io_cq, create_completion_queue},
    {AdminOpcode::identify, identify},
    {AdminOpcode::abort, abort},
    {AdminOpcode::set_features, set_features},
    {AdminOpcode::get_features, get_features},
    {AdminOpcode::async_event_request, async_event_request},
    {AdminOpcode::keep_alive, keep_alive},
};

}  // namespace

Status give(State& state, const Command& command, std::uint64_t bytes) {
  constexpr std::uint64_t kLongest = 16u << 20;
  const std::uint64_t most = state.options.mdts == 0 ? kLongest : std::uint64_t{4096} << state.options.mdts;
  if (bytes > most) return kInvalidField;
  const memory::Prps prps{command.prp1, command.prp2};
  const Status status =
      memory::resolve(state.regions, prps, bytes, memory::Access::write, state.page_bytes, state.segments);
  if (status != kSuccess) return status;
  state.page.resize(bytes);
  const std::byte* from = state.page.data();
  for (const memory::Segment& segment : state.segments) {
    std::memcpy(segment.memory, from, segment.bytes);
    from += segment.bytes;
  }
  return kSuccess;
}

Outcome execute_admin(State& state, const Command& command) {
  if ((command.flags & 0xc3) != 0) return {kInvalidField};  // fused command, or SGL
  for (const AdminRow& row : kAdminRows)
    if (static_cast<std::uint8_t>(row.opcode) == command.opcode) return row.execute(state, command);
  return {kInvalidOpcode};
}

}  // namespace fathom::nvme::soft
