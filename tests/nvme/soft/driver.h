// The least driver: brings a stepped soft controller up by its registers, creates queues, and runs one command after
// the other. It shares nothing with the product's driver but the wire structures, so neither hides the other's
// mistakes.
#pragma once
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "clock/sources/fake.h"
#include "nvme/command.h"
#include "nvme/identify.h"
#include "nvme/registers.h"
#include "nvme/soft/transport.h"

namespace fathom::nvme::soft {

struct Reply {
  std::uint16_t cid = 0, status = 0, sq_head = 0, sq_id = 0;  // status without phase tag and DNR
  bool do_not_retry = false;
  std::uint32_t result = 0;
};

inline Options options_of(std::string_view text) {
  auto options = parse_options(text);
  EXPECT_TRUE(options.ok()) << (options.ok() ? "" : options.error().what);
  return options.ok() ? *options : Options{};
}

class Queue {
 public:
  Queue(Transport& device, std::uint16_t id, std::uint32_t entries, std::uint32_t stride_words = 1,
        std::size_t entry_bytes = 16)
      : device_(device),
        id_(id),
        entries_(entries),
        stride_(stride_words),
        entry_bytes_(entry_bytes),
        sq_(*device.allocate(entries * 64)),
        cq_(*device.allocate(entries * entry_bytes)) {}

  void post(const Command& command) {
    std::memcpy(sq_.memory + tail_ * 64, &command, 64);
    tail_ = (tail_ + 1) % entries_;
  }
  void ring() { doorbell(0, tail_); }
  void doorbell(unsigned which, std::uint32_t value) {
    __atomic_store_n(&device_.doorbells()[(2 * id_ + which) * stride_], value, __ATOMIC_RELEASE);
  }
  // The next completion, when its phase tag says that it is there; the doorbell only with `free_slot`.
  std::optional<Reply> take(bool free_slot = true) {
    const std::byte* at = cq_.memory + head_ * entry_bytes_;
    const std::uint64_t word = __atomic_load_n(reinterpret_cast<const std::uint64_t*>(at + 8), __ATOMIC_ACQUIRE);
    const auto status = static_cast<std::uint16_t>(word >> 48);
    if ((status & 1) != phase_) return {};
    Completion entry;
    std::memcpy(&entry, at, sizeof entry);
    head_ = (head_ + 1) % entries_;
    if (head_ == 0) phase_ ^= 1;
    if (free_slot) doorbell(1, head_);
    return Reply{entry.cid,
                 static_cast<std::uint16_t>((status >> 1) & 0x7ff),
                 entry.sq_head,
                 entry.sq_id,
                 (status & 0x8000) != 0,
                 entry.result};
  }
  std::optional<Reply> wait(unsigned steps = 64) {
    for (; steps != 0; --steps) {
      device_.idle();
      if (auto reply = take()) return reply;
    }
    return {};
  }
  const DmaMemory& sq() const { return sq_; }
  const DmaMemory& cq() const { return cq_; }
  std::uint32_t entries() const { return entries_; }
  std::uint16_t id() const { return id_; }

 private:
  Transport& device_;
  std::uint16_t id_;
  std::uint32_t entries_, stride_;
  std::size_t entry_bytes_;
  DmaMemory sq_, cq_;
  std::uint32_t tail_ = 0, head_ = 0;
  std::uint16_t phase_ = 1;
};

class Driver {
 public:
  explicit Driver(std::string_view text = "", unsigned iocqes = 4) : iocqes_(iocqes) {
    auto made = SoftTransport::make(options_of(std::string(text) + (text.empty() ? "step" : ",step")),
                                    [this] { return time.now_ns(); });
    EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().what);
    device = std::move(*made);
    stride_words = 1u << ((device->read64(kCap) >> 32) & 0xf);
    data = *device->allocate(1 << 20);
    enable();
  }

  void enable() {
    admin.emplace(*device, 0, 32, stride_words);
    device->write32(kAqa, 31 << 16 | 31);
    device->write64(kAsq, admin->sq().iova);
    device->write64(kAcq, admin->cq().iova);
    device->write32(kCc, kCcEnable | cc_entry_sizes(6, iocqes_));
  }

  Reply run(Queue& queue, const Command& wanted) {
    Command command = wanted;
    command.cid = ++cid_;
    queue.post(command);
    queue.ring();
    const auto reply = queue.wait();
    EXPECT_TRUE(reply.has_value()) << "no completion";
    if (!reply) return {};
    EXPECT_EQ(reply->cid, command.cid);
    EXPECT_EQ(reply->sq_id, queue.id());
    return *reply;
  }
  Reply run_admin(AdminOpcode opcode, std::uint32_t cdw10 = 0, std::uint32_t cdw11 = 0, std::uint64_t prp1 = 0,
                  std::uint32_t nsid = 0) {
    return run(*admin, command_of(static_cast<std::uint8_t>(opcode), nsid, prp1, cdw10, cdw11));
  }
  static Command command_of(std::uint8_t opcode, std::uint32_t nsid, std::uint64_t prp1, std::uint32_t cdw10,
                            std::uint32_t cdw11, std::uint32_t cdw12 = 0) {
    Command command;
    command.opcode = opcode;
    command.nsid = nsid;
    command.prp1 = prp1;
    command.cdw10 = cdw10;
    command.cdw11 = cdw11;
    command.cdw12 = cdw12;
    return command;
  }

  Reply create_cq(std::uint16_t id, std::uint32_t entries, std::uint64_t iova, std::uint32_t flags = 1) {
    return run_admin(AdminOpcode::create_io_cq, (entries - 1) << 16 | id, flags, iova);
  }
  Reply create_sq(std::uint16_t id, std::uint32_t entries, std::uint64_t iova, std::uint32_t cq_id,
                  std::uint32_t flags = 1) {
    return run_admin(AdminOpcode::create_io_sq, (entries - 1) << 16 | id, cq_id << 16 | flags, iova);
  }
  std::unique_ptr<Queue> make_queue(std::uint16_t id = 1, std::uint32_t entries = 64) {
    auto queue = std::make_unique<Queue>(*device, id, entries, stride_words, std::size_t{1} << iocqes_);
    EXPECT_EQ(create_cq(id, entries, queue->cq().iova).status, 0);
    EXPECT_EQ(create_sq(id, entries, queue->sq().iova, id).status, 0);
    return queue;
  }

  // blocks of namespace 1 from or to the front of `data`, with the pages as a list behind it.
  Command transfer(NvmOpcode opcode, std::uint64_t lba, std::uint32_t blocks, std::uint32_t nsid = 1) {
    Command command = command_of(static_cast<std::uint8_t>(opcode), nsid, data.iova, static_cast<std::uint32_t>(lba),
                                 static_cast<std::uint32_t>(lba >> 32), blocks - 1);
    const std::uint64_t bytes = std::uint64_t{blocks} * device->controller().options().block_bytes;
    const std::uint64_t pages = (bytes + 4095) / 4096;
    if (pages == 2) command.prp2 = data.iova + 4096;
    if (pages > 2) command.prp2 = list(command.prp1 + 4096, pages - 1);
    return command;
  }
  // A PRP list of consecutive pages, chained where it fills a page; its own pages lie at the end of `data`.
  std::uint64_t list(std::uint64_t first_page, std::uint64_t pages) {
    std::size_t at = data.bytes - 16 * 4096;
    const std::uint64_t start = data.iova + at;
    for (std::uint64_t i = 0; i < pages; ++i) {
      if (at % 4096 == 4088 && i + 1 < pages) {
        put64(at, data.iova + at + 8);
        at += 8;
      }
      put64(at, first_page + i * 4096);
      at += 8;
    }
    return start;
  }
  void put64(std::size_t at, std::uint64_t value) { std::memcpy(data.memory + at, &value, sizeof value); }
  template <class T>
  T data_as() const {
    T value;
    std::memcpy(&value, data.memory, sizeof value);
    return value;
  }
  std::uint32_t csts() { return device->read32(kCsts); }

  clock::sources::FakeClock time;
  std::unique_ptr<SoftTransport> device;
  std::uint32_t stride_words = 1;
  DmaMemory data;
  std::optional<Queue> admin;

 private:
  unsigned iocqes_;
  std::uint16_t cid_ = 0;
};

}  // namespace fathom::nvme::soft
