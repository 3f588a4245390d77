// Encodes the admin commands (NVM Express Base Specification 2.0c, section 5).
#include "nvme/detail/admin_commands.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "nvme/detail/bring_up.h"
#include "nvme/status.h"

namespace fathom::nvme::detail {
namespace {

constexpr std::uint32_t kHealthEvents = 0x1f;                 // SMART / health critical warnings
constexpr std::uint32_t kOptionalEvents = 1u << 8 | 1u << 9;  // OAES: namespace attribute, firmware activation
constexpr std::uint32_t kContiguous = 1;                      // PC
constexpr std::uint32_t kPriorityMedium = 2u << 1;            // QPRIO
constexpr std::uint8_t kLpaOffsets = 1u << 2;                 // extended data: NUMDU, LPO
constexpr std::uint32_t kRetainEvent = 1u << 15;              // RAE
constexpr std::size_t kLogPiece = 4096;
constexpr std::size_t kLogWhole = 16384;  // NUMD has 12 bits on controllers without offsets

Command admin_command(AdminOpcode opcode, std::uint32_t nsid = 0) {
  Command c;
  c.opcode = static_cast<std::uint8_t>(opcode);
  c.nsid = nsid;
  return c;
}

Command set_feature(Feature feature, std::uint32_t value) {
  Command c = admin_command(AdminOpcode::set_features);
  c.cdw10 = static_cast<std::uint32_t>(feature);
  c.cdw11 = value;
  return c;
}

// Reads one list of up to 1024 IDs after `after`. False: the list has ended.
base::Expected<bool> next_list(AdminQueue& admin, std::uint32_t after, std::uint32_t nn,
                               std::vector<std::uint32_t>& found) {
  std::uint32_t list[1024] = {};
  if (auto done = identify(admin, Cns::active_namespaces, after, std::as_writable_bytes(std::span(list))); !done)
    return done.error();
  for (const std::uint32_t nsid : list) {
    if (nsid <= after || nsid > nn || found.size() == kNamespacesMax) return false;
    found.push_back(after = nsid);
  }
  return true;
}

base::Expected<std::vector<std::uint32_t>> ask_each(AdminQueue& admin, std::uint32_t nn) {
  std::vector<std::uint32_t> found;
  const auto ns = std::make_unique<IdentifyNamespace>();
  for (std::uint32_t nsid = 1; nsid <= std::min(nn, kNamespacesAsked); ++nsid) {
    Command c = admin_command(AdminOpcode::identify, nsid);
    c.cdw10 = static_cast<std::uint32_t>(Cns::identify_namespace);
    const auto completion = admin.run(c, std::as_writable_bytes(std::span(ns.get(), 1)), Direction::from_device);
    if (!completion) return completion.error();
    if (status_of(*completion) == 0 && ns->nsze != 0) found.push_back(nsid);
  }
  return found;
}

}  // namespace

base::Expected<void> identify(AdminQueue& admin, Cns cns, std::uint32_t nsid, std::span<std::byte> data) {
  Command c = admin_command(AdminOpcode::identify, nsid);
  c.cdw10 = static_cast<std::uint32_t>(cns);
  if (auto done = admin.run_well(c, data, Direction::from_device); !done) return done.error();
  return {};
}

base::Expected<std::uint32_t> set_queue_count(AdminQueue& admin, std::uint32_t wanted) {
  const std::uint32_t n = wanted - 1;
  auto done = admin.run_well(set_feature(Feature::number_of_queues, n << 16 | n));
  if (!done) return done.error();
  const std::uint32_t granted = std::min(done->result & 0xffff, done->result >> 16) + 1;
  return std::min(granted, wanted);
}

base::Expected<void> configure_events(AdminQueue& admin, std::uint32_t oaes) {
  auto done = admin.run(set_feature(Feature::async_event_configuration, kHealthEvents | (oaes & kOptionalEvents)));
  if (!done) return done.error();
  return {};
}

base::Expected<std::vector<std::uint32_t>> active_namespaces(AdminQueue& admin, std::uint32_t nn, bool has_list) {
  if (!has_list) return ask_each(admin, nn);
  std::vector<std::uint32_t> found;
  for (;;) {
    const auto more = next_list(admin, found.empty() ? 0 : found.back(), nn, found);
    if (!more) return more.error();
    if (!*more) return found;
  }
}

base::Expected<void> create_queue_pair(AdminQueue& admin, const QueueCore& queue, bool medium_priority) {
  Command cq = admin_command(AdminOpcode::create_io_cq);
  cq.prp1 = queue.cq_iova();
  cq.cdw10 = (queue.cq_entries() - 1) << 16 | queue.qid();
  cq.cdw11 = kContiguous;
  if (auto done = admin.run_well(cq); !done) return done.error();
  Command sq = admin_command(AdminOpcode::create_io_sq);
  sq.prp1 = queue.sq_iova();
  sq.cdw10 = (queue.entries() - 1) << 16 | queue.qid();
  sq.cdw11 = static_cast<std::uint32_t>(queue.qid()) << 16 | kContiguous | (medium_priority ? kPriorityMedium : 0);
  if (auto done = admin.run_well(sq); !done) {
    Command undo = admin_command(AdminOpcode::delete_io_cq);
    undo.cdw10 = queue.qid();
    (void)admin.run(undo);
    return done.error();
  }
  return {};
}

bool delete_queue_pair(AdminQueue& admin, std::uint16_t qid) {
  for (const AdminOpcode opcode : {AdminOpcode::delete_io_sq, AdminOpcode::delete_io_cq}) {
    Command c = admin_command(opcode);
    c.cdw10 = qid;
    if (!admin.run(c)) return false;
  }
  return true;
}

base::Expected<void> read_log(AdminQueue& admin, const LogAccess& access, std::uint8_t lid, std::uint32_t nsid,
                              std::span<std::byte> data) {
  const bool offsets = (access.lpa & kLpaOffsets) != 0;
  const std::size_t limit = std::min<std::size_t>(offsets ? kLogPiece : kLogWhole, access.transfer_bytes_max);
  if (!offsets && data.size() > limit)
    return base::Error{
        .what = fmt::format("{}: log page {:02X}h: {} bytes", admin.device(), lid, data.size()),
        .cause = fmt::format("this controller accepts no offset into a log page: it returns at most {} bytes", limit),
        .help = "request fewer bytes",
        .place = {}};
  for (std::size_t at = 0; at < data.size(); at += limit) {
    const std::size_t bytes = std::min(limit, data.size() - at);
    const auto dwords = static_cast<std::uint32_t>((bytes + 3) / 4 - 1);
    Command c = admin_command(AdminOpcode::get_log_page, nsid);
    // The event that announced the page is cleared by reading the last piece.
    const bool retain = at + bytes < data.size() && access.version >= version_number(1, 3);
    c.cdw10 = lid | (retain ? kRetainEvent : 0) | (dwords & 0xffff) << 16;
    c.cdw11 = dwords >> 16;
    c.cdw12 = static_cast<std::uint32_t>(at);
    c.cdw13 = static_cast<std::uint32_t>(static_cast<std::uint64_t>(at) >> 32);
    if (auto done = admin.run_well(c, data.subspan(at, bytes), Direction::from_device); !done) return done.error();
  }
  return {};
}

}  // namespace fathom::nvme::detail
