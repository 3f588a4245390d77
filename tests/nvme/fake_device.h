// A controller as a test wants it: registers, queues and memory with nothing of its own will. It takes a step when it
// is told to (FakeTransport::idle, or step()), answers admin commands from its tables unless a script says otherwise,
// and keeps I/O commands until they are due. Every address that it is given is looked up; one that is nobody's is
// counted.
#pragma once
#include <algorithm>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "nvme/command.h"
#include "nvme/identify.h"
#include "nvme/registers.h"
#include "nvme/status.h"
#include "nvme/transport.h"

namespace fathom::nvme {

inline std::uint64_t fake_now_ns() {
  static std::uint64_t now = 0;
  return now += 100'000;
}

struct FakeDevice {
  struct Write {
    std::uint32_t offset;
    std::uint64_t value;
    bool operator==(const Write&) const = default;
  };
  struct Ring {
    std::uint64_t iova = 0;
    std::uint32_t entries = 0, at = 0;  // at: the next slot to read (SQ) or to write (CQ)
    std::uint32_t laps = 0, seen = 0;   // of the CQ: laps done; its head as the doorbell last said
  };
  struct QueuePair {
    Ring sq, cq;
  };
  struct Held {
    std::uint16_t qid;
    Command command;
  };
  struct Answer {
    std::uint16_t status = 0;
    std::uint32_t result = 0;
  };

  FakeDevice();
  // Registers.
  std::uint64_t cap = 0x0000'0020'0101'03ff;  // 1024 entries, CQR, TO 500 ms, NVM command set
  std::uint32_t vs = 0x10400, crto = 0;
  std::uint32_t cc = 0, csts = 0, aqa = 0;
  std::uint64_t asq = 0, acq = 0;
  std::vector<Write> writes;
  int ready_after_reads = 0;  // of CSTS
  bool never_ready = false, never_disabled = false, fatal_when_enabled = false, never_shut = false, gone = false;
  std::size_t doorbell_bytes = 0x1000;
  std::vector<std::uint32_t> doorbells = std::vector<std::uint32_t>(0x400);
  // Identify and features.
  IdentifyController id{};
  std::map<std::uint32_t, IdentifyNamespace> namespaces;
  std::uint32_t queues_granted = 8;
  // Scripts: on_admin answers in place of the tables; commands with an opcode in `silent` are never answered.
  std::function<std::optional<Answer>(const Command&)> on_admin;
  std::set<AdminOpcode> silent;
  std::function<std::uint16_t(const Command&)> io_status = [](const Command&) { return std::uint16_t{0}; };
  bool hold_io = false;
  // What has happened.
  std::vector<Command> admin_log, events;
  std::deque<Held> held;
  std::map<std::uint16_t, QueuePair> queues;
  std::size_t bad_addresses = 0, cq_full = 0, allocations = 0;
  std::size_t allocations_allowed = SIZE_MAX;

  void step();
  bool complete(std::uint16_t qid, std::uint16_t cid, std::uint16_t status, std::uint32_t result = 0);
  bool complete_held(std::size_t index, std::uint16_t status = 0);
  bool send_event(std::uint32_t dword0);
  std::byte* at(std::uint64_t iova, std::size_t bytes);
  // The data that a command's PRPs describe, as iovas of its pieces; lists are followed.
  std::vector<std::pair<std::uint64_t, std::uint32_t>> pieces(const Command& command, std::uint32_t bytes);
  std::size_t count(AdminOpcode opcode) const;

  struct Region {
    std::byte* memory;
    std::size_t bytes;
  };
  std::map<std::uint64_t, Region> regions;  // by iova
  std::uint64_t next_iova = 0x10000;
  std::uint64_t read_register(std::uint32_t offset);
  void write_register(std::uint32_t offset, std::uint64_t value);

 private:
  void enable();
  void disable();
  void admin(const Command& command);
  Answer answer(const Command& command);
  Answer identify(const Command& command);
  Answer make_queue(const Command& command);
  std::uint32_t cq_entry_bytes(std::uint16_t qid) const { return qid == 0 ? 16 : 1u << (cc >> 20 & 0xf); }
};

class FakeTransport : public Transport {
 public:
  explicit FakeTransport(FakeDevice& device) : d_(device) { identity_.name = "fake"; }
  ~FakeTransport() override {
    for (const auto& [iova, region] : d_.regions) ::operator delete[](region.memory, std::align_val_t{4096});
    d_.regions.clear();
  }
  const DeviceIdentity& identity() const override { return identity_; }
  std::uint32_t read32(std::uint32_t offset) override { return static_cast<std::uint32_t>(d_.read_register(offset)); }
  std::uint64_t read64(std::uint32_t offset) override { return d_.read_register(offset); }
  void write32(std::uint32_t offset, std::uint32_t value) override { d_.write_register(offset, value); }
  void write64(std::uint32_t offset, std::uint64_t value) override { d_.write_register(offset, value); }
  volatile std::uint32_t* doorbells() override { return d_.doorbells.data(); }
  std::size_t doorbell_bytes() const override { return d_.doorbell_bytes; }
  base::Expected<DmaMemory> allocate(std::size_t bytes) override;
  void release(const DmaMemory& memory) override;
  base::Expected<std::uint64_t> map(const HostMemory&) override { return base::system_error("map", 95); }
  void unmap(const HostMemory&) override {}
  void idle() override { d_.step(); }
  bool gone() const override { return d_.gone; }
  DeviceIdentity identity_;

 private:
  FakeDevice& d_;
};

inline FakeDevice::FakeDevice() {
  std::memcpy(id.sn, "FAKE0001            ", sizeof id.sn);
  id.cntrltype = 1;
  id.mdts = 5;
  id.sqes = 0x66;
  id.cqes = 0x64;
  id.nn = 4;
  id.aerl = 3;
  id.oncs = 0x0c;
  id.lpa = 4;
  IdentifyNamespace ns{};
  ns.nsze = ns.ncap = 1 << 20;
  ns.lbaf[0].lbads = 12;
  namespaces[1] = ns;
}

inline base::Expected<DmaMemory> FakeTransport::allocate(std::size_t bytes) {
  if (d_.allocations >= d_.allocations_allowed) return base::system_error("allocate", 12);
  ++d_.allocations;
  const std::size_t size = (bytes + 4095) / 4096 * 4096;
  auto* memory = static_cast<std::byte*>(::operator new[](std::max<std::size_t>(size, 1), std::align_val_t{4096}));
  std::memset(memory, 0, size);
  const DmaMemory m{memory, d_.next_iova, bytes};
  d_.regions[m.iova] = {memory, size};
  d_.next_iova += size + 4096;
  return m;
}

inline void FakeTransport::release(const DmaMemory& memory) {
  const auto it = d_.regions.find(memory.iova);
  if (it == d_.regions.end()) return;
  ::operator delete[](it->second.memory, std::align_val_t{4096});
  d_.regions.erase(it);
}

inline std::byte* FakeDevice::at(std::uint64_t iova, std::size_t bytes) {
  auto it = regions.upper_bound(iova);
  if (it != regions.begin()) {
    --it;
    const std::uint64_t into = iova - it->first;
    if (into < it->second.bytes && bytes <= it->second.bytes - into) return it->second.memory + into;
  }
  ++bad_addresses;
  return nullptr;
}

inline std::uint64_t FakeDevice::read_register(std::uint32_t offset) {
  if (gone) return ~0ull;
  switch (offset) {
    case kCap:
      return cap;
    case kVs:
      return vs;
    case 0x68:
      return crto;
    case kCc:
      return cc;
    case kAqa:
      return aqa;
    case kAsq:
      return asq;
    case kAcq:
      return acq;
    case kCsts:
      break;
    default:
      return 0;
  }
  if ((cc & kCcEnable) != 0 && (csts & kCstsReady) == 0 && !never_ready && ready_after_reads-- <= 0) csts |= kCstsReady;
  return csts;
}

inline void FakeDevice::write_register(std::uint32_t offset, std::uint64_t value) {
  if (gone) return;
  writes.push_back({offset, value});
  const auto low = static_cast<std::uint32_t>(value);
  switch (offset) {
    case kAqa:
      aqa = low;
      break;
    case kAsq:
      asq = value;
      break;
    case kAcq:
      acq = value;
      break;
    case kCc: {
      const bool was = (cc & kCcEnable) != 0;
      cc = low;
      if (!was && (cc & kCcEnable) != 0) enable();
      if (was && (cc & kCcEnable) == 0) disable();
      if ((cc & kCcShutdownMask) != 0 && !never_shut) csts |= kCstsShutdownComplete;
      break;
    }
    default:
      break;
  }
}

inline void FakeDevice::enable() {
  csts = fatal_when_enabled ? kCstsFatal : 0;
  queues[0] = {{asq, (aqa & 0xfff) + 1}, {acq, (aqa >> 16 & 0xfff) + 1}};
  doorbells.assign(doorbells.size(), 0);
}

inline void FakeDevice::disable() {
  if (!never_disabled) csts = 0;
  queues.clear();
  held.clear();
  events.clear();
}

inline void FakeDevice::step() {
  if (gone || (csts & kCstsReady) == 0 || (csts & kCstsFatal) != 0) return;
  std::vector<std::uint16_t> ids;
  for (const auto& [qid, queue] : queues) ids.push_back(qid);
  for (const std::uint16_t qid : ids) {
    const std::uint32_t stride = Cap{cap}.doorbell_stride_bytes();
    for (int n = 0; n < 4096 && queues.count(qid) != 0; ++n) {
      Ring& sq = queues[qid].sq;
      if (sq.entries == 0 || sq.at == doorbells[sq_doorbell_offset(qid, stride) / 4] % sq.entries) break;
      const auto* slot = at(sq.iova + sq.at * sizeof(Command), sizeof(Command));
      if (slot == nullptr) break;
      Command command;
      std::memcpy(&command, slot, sizeof command);
      sq.at = (sq.at + 1) % sq.entries;
      if (qid == 0)
        admin(command);
      else
        held.push_back({qid, command});
    }
  }
  while (!hold_io && !held.empty())
    if (!complete_held(0, io_status(held.front().command))) break;
}

inline bool FakeDevice::complete_held(std::size_t index, std::uint16_t status) {
  const Held h = held.at(index);
  if (!complete(h.qid, h.command.cid, status)) return false;
  held.erase(held.begin() + static_cast<long>(index));
  return true;
}

// False: the completion queue is full, as far as the doorbell says.
inline bool FakeDevice::complete(std::uint16_t qid, std::uint16_t cid, std::uint16_t status, std::uint32_t result) {
  const auto it = queues.find(qid);
  if (it == queues.end()) return true;
  Ring& cq = it->second.cq;
  const std::uint32_t head =
      doorbells[cq_doorbell_offset(qid, Cap{cap}.doorbell_stride_bytes()) / 4] % std::max(cq.entries, 1u);
  if ((cq.at + 1) % cq.entries == head) {
    ++cq_full;
    return false;
  }
  auto* slot = at(cq.iova + cq.at * cq_entry_bytes(qid), cq_entry_bytes(qid));
  if (slot == nullptr) return true;
  Completion c;
  c.result = result;
  c.sq_head = static_cast<std::uint16_t>(it->second.sq.at);
  c.sq_id = qid;
  c.cid = cid;
  c.status = static_cast<std::uint16_t>(status << 1 | (cq.laps % 2 == 0 ? 1 : 0));
  std::memcpy(slot, &c, sizeof c);
  if (++cq.at == cq.entries) {
    cq.at = 0;
    ++cq.laps;
  }
  return true;
}

inline bool FakeDevice::send_event(std::uint32_t dword0) {
  if (events.empty()) return false;
  const Command c = events.front();
  events.erase(events.begin());
  return complete(0, c.cid, 0, dword0);
}

inline void FakeDevice::admin(const Command& command) {
  admin_log.push_back(command);
  const auto opcode = static_cast<AdminOpcode>(command.opcode);
  if (silent.count(opcode) != 0) return;
  const auto scripted = on_admin ? on_admin(command) : std::nullopt;
  if (!scripted && opcode == AdminOpcode::async_event_request) {
    if (events.size() <= id.aerl)
      events.push_back(command);
    else
      complete(0, command.cid, kAsyncEventLimit);
    return;
  }
  const Answer a = scripted ? *scripted : answer(command);
  complete(0, command.cid, a.status, a.result);
}

inline FakeDevice::Answer FakeDevice::answer(const Command& command) {
  switch (static_cast<AdminOpcode>(command.opcode)) {
    case AdminOpcode::identify:
      return identify(command);
    case AdminOpcode::set_features:
      return {0, (command.cdw10 & 0xff) == 7 ? (queues_granted - 1) << 16 | (queues_granted - 1) : 0};
    case AdminOpcode::create_io_cq:
    case AdminOpcode::create_io_sq:
      return make_queue(command);
    case AdminOpcode::delete_io_sq:
      return {};
    case AdminOpcode::delete_io_cq:
      queues.erase(static_cast<std::uint16_t>(command.cdw10));
      return {};
    case AdminOpcode::abort:
      for (std::size_t i = 0; i < held.size(); ++i)
        if (held[i].qid == (command.cdw10 & 0xffff) && held[i].command.cid == command.cdw10 >> 16)
          return {0, complete_held(i, 7) ? 0u : 1u};
      return {0, 1};
    case AdminOpcode::get_log_page: {
      const std::uint32_t bytes = ((command.cdw11 << 16 | command.cdw10 >> 16) + 1) * 4;
      for (const auto& [iova, length] : pieces(command, bytes))
        if (auto* to = at(iova, length)) std::memset(to, static_cast<int>(command.cdw12 >> 12) + 1, length);
      return {};
    }
    default:
      return {1, 0};
  }
}

inline FakeDevice::Answer FakeDevice::identify(const Command& command) {
  auto* to = at(command.prp1, 4096);
  if (to == nullptr) return {4, 0};
  switch (static_cast<Cns>(command.cdw10 & 0xff)) {
    case Cns::identify_controller:
      std::memcpy(to, &id, 4096);
      return {};
    case Cns::identify_namespace: {
      const auto it = namespaces.find(command.nsid);
      if (command.nsid == 0 || command.nsid > id.nn) return {kInvalidNamespace, 0};
      if (it != namespaces.end()) std::memcpy(to, &it->second, 4096);
      return {};
    }
    case Cns::active_namespaces: {
      std::uint32_t n = 0;
      for (const auto& [nsid, ns] : namespaces)
        if (nsid > command.nsid && n < 1024) std::memcpy(to + 4 * n++, &nsid, 4);
      return {};
    }
    default:
      return {kInvalidField, 0};
  }
}

inline FakeDevice::Answer FakeDevice::make_queue(const Command& command) {
  const auto qid = static_cast<std::uint16_t>(command.cdw10);
  const Ring ring{command.prp1, (command.cdw10 >> 16) + 1};
  if (command.opcode == static_cast<std::uint8_t>(AdminOpcode::create_io_cq))
    queues[qid].cq = ring;
  else if (queues.count(command.cdw11 >> 16) != 0)
    queues[qid].sq = ring;
  else
    return {0x100, 0};
  doorbells[sq_doorbell_offset(qid, Cap{cap}.doorbell_stride_bytes()) / 4] = 0;
  doorbells[cq_doorbell_offset(qid, Cap{cap}.doorbell_stride_bytes()) / 4] = 0;
  return {};
}

inline std::vector<std::pair<std::uint64_t, std::uint32_t>> FakeDevice::pieces(const Command& command,
                                                                               std::uint32_t bytes) {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> found;
  const auto first = std::min<std::uint32_t>(bytes, 4096 - (command.prp1 & 4095));
  found.push_back({command.prp1, first});
  std::uint32_t left = bytes - first;
  if (left == 0) return found;
  if (left <= 4096) {
    found.push_back({command.prp2, left});
    return found;
  }
  std::uint64_t entry = command.prp2;
  while (left != 0) {
    std::uint64_t value = 0;
    const auto* slot = at(entry, 8);
    if (slot == nullptr) break;
    std::memcpy(&value, slot, 8);
    if ((entry & 4095) == 4088 && left > 4096) {
      entry = value;
      continue;
    }
    found.push_back({value, std::min(left, 4096u)});
    left -= found.back().second;
    entry += 8;
  }
  return found;
}

inline std::size_t FakeDevice::count(AdminOpcode opcode) const {
  std::size_t n = 0;
  for (const auto& c : admin_log) n += c.opcode == static_cast<std::uint8_t>(opcode);
  return n;
}

}  // namespace fathom::nvme
