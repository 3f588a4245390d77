// The whole driver on a controller model that nobody here wrote: bring-up, identify, admin commands, I/O on both block
// sizes, splits, more requests than slots, reset under load. It leaves the pattern in the first 8 MiB of each
// namespace.
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "guest/checks.h"
#include "guest/io.h"
#include "guest/pattern.h"
#include "nvme/controller.h"
#include "nvme/log_page.h"
#include "nvme/status.h"

namespace fathom::guest {
namespace {

using nvme::Controller;
using nvme::NvmOpcode;
using Queue = nvme::QueuePair<nvme::Policy{}>;

constexpr std::uint32_t kScratch = 32 << 20;  // offset of what the other checks write

struct Bench {
  Controller& controller;
  nvme::DmaMemory memory;
  std::array<nvme::Namespace, 2> namespaces;
};

std::string shown(const Outcome& o) {
  return std::to_string(o.good) + "/" + std::to_string(o.submitted) + " good, " + std::to_string(o.bad) + " bad, " +
         std::to_string(o.twice) + " twice, " + std::to_string(o.again) + " again, status " +
         nvme::status_text(o.last_status);
}

std::string named(const char* what, std::uint32_t block_bytes) {
  return std::string(what) + "_" + std::to_string(block_bytes);
}

template <class Q>
bool transfer(Q& queue, const Run& run, const std::string& name) {
  Batch batch(run.count);
  batch.submit(queue, run);
  const Outcome& outcome = batch.finish(queue);
  return outcome.all_good() || result(name, false, shown(outcome));
}

// Writes in one size, reads in another, from memory that begins in the middle of a page.
template <class Q>
void write_read_verify(Bench& bench, Q& queue, const nvme::Namespace& ns, std::uint64_t offset, std::uint32_t bytes,
                       std::uint32_t write_bytes, std::uint32_t read_bytes, const std::string& name) {
  constexpr std::uint32_t kCrooked = 512;
  std::byte* const memory = bench.memory.memory + kCrooked;
  Run run{.opcode = NvmOpcode::write,
          .nsid = ns.nsid,
          .block_bytes = ns.block_bytes,
          .offset_bytes = offset,
          .iova = bench.memory.iova + kCrooked,
          .bytes = write_bytes,
          .count = bytes / write_bytes};
  fill_pattern(memory, bytes, offset, ns.nsid);
  if (!transfer(queue, run, name)) return;
  std::memset(memory, 0xee, bytes);
  run.opcode = NvmOpcode::read;
  run.bytes = read_bytes;
  run.count = bytes / read_bytes;
  if (!transfer(queue, run, name)) return;
  const std::size_t right = matching(memory, bytes, offset, ns.nsid);
  result(name, right == bytes, right == bytes ? "" : "first wrong byte at " + std::to_string(right));
}

void check_identify(Bench& bench) {
  const nvme::IdentifyController& id = bench.controller.identify();
  result("identify_controller", std::string(id.sn, 7) == "EMU0001" && std::string(id.mn, 14) == "QEMU NVMe Ctrl",
         std::string(id.mn, sizeof id.mn));
  result("namespaces", bench.controller.namespaces() == std::vector<std::uint32_t>{1, 2});
  const auto& [small, large] = bench.namespaces;
  result("namespace_512", small.block_bytes == 512 && small.bytes() == 64u << 20, std::to_string(small.blocks));
  result("namespace_4096", large.block_bytes == 4096 && large.bytes() == 64u << 20, std::to_string(large.blocks));
  result("mdts", bench.controller.transfer_bytes_max() == 128 * 1024,
         std::to_string(bench.controller.transfer_bytes_max()));
  const auto absent = bench.controller.open_namespace(3);
  result("namespace_absent", !absent && absent.error().kind == base::ErrorKind::usage,
         absent ? "" : text_of(absent.error()));
}

void check_admin(Bench& bench) {
  nvme::SmartLog smart{};
  const auto read = bench.controller.log_page(static_cast<std::uint8_t>(nvme::LogPage::smart), 0xffffffff,
                                              std::as_writable_bytes(std::span(&smart, 1)));
  result("smart_log", read.ok() && smart.composite_temperature_kelvin > 273,
         std::to_string(smart.composite_temperature_kelvin));
  std::vector<std::byte> errors(64 * sizeof(nvme::ErrorLogEntry));
  result(
      "error_log",
      bench.controller.log_page(static_cast<std::uint8_t>(nvme::LogPage::error_information), 0xffffffff, errors).ok());
  nvme::Command command;
  command.opcode = static_cast<std::uint8_t>(nvme::AdminOpcode::identify);
  command.cdw10 = static_cast<std::uint32_t>(nvme::Cns::identify_controller);
  std::vector<std::byte> page(4096);
  const auto passed = bench.controller.admin(command, page, nvme::Transfer::from_device);
  result("admin_passthrough", passed.ok() && nvme::status_of(*passed) == 0 &&
                                  std::memcmp(page.data(), &bench.controller.identify(), 64) == 0);
  command.cdw10 = 0xff;
  const auto wrong = bench.controller.admin(command, page, nvme::Transfer::from_device);
  result("admin_error_status", wrong.ok() && nvme::status_kind(nvme::status_of(*wrong)) == nvme::kInvalidField,
         wrong ? nvme::status_text(nvme::status_of(*wrong)) : text_of(wrong.error()));
}

void check_queue_number(Bench& bench) {
  std::array<Queue, 9> queues;
  unsigned opened = 0;
  std::string refusal;
  for (Queue& queue : queues) {
    const auto done = bench.controller.open_queue(queue, {.entries = 16, .requests = 4, .splits = 4});
    if (!done) refusal = text_of(done.error());
    if (done) ++opened;
  }
  result("eight_queues_and_no_more", opened == 8 && !refusal.empty(), std::to_string(opened) + " opened; " + refusal);
  bool all = true;
  for (unsigned i = 0; i < opened; ++i)
    all &= transfer(queues[i], {.opcode = NvmOpcode::read, .iova = bench.memory.iova, .count = 8}, "queues_in_use");
  result("queues_in_use", all);
  for (unsigned i = 0; i < opened; ++i) bench.controller.close_queue(queues[i]);
}

// Before, the kernel's driver filled the area at kKernelWrote.
void check_kernel_data(Bench& bench, Queue& queue) {
  for (const nvme::Namespace& ns : bench.namespaces) {
    const std::string name = named("kernel_wrote", ns.block_bytes);
    const bool read = transfer(queue,
                               {.nsid = ns.nsid,
                                .block_bytes = ns.block_bytes,
                                .offset_bytes = kKernelWrote,
                                .iova = bench.memory.iova,
                                .bytes = 65536,
                                .count = kKernelBytes / 65536},
                               name);
    const std::size_t right = matching(bench.memory.memory, kKernelBytes, kKernelWrote, ns.nsid);
    if (read) result(name, right == kKernelBytes, std::to_string(right));
  }
}

void check_data(Bench& bench, Queue& queue) {
  for (const nvme::Namespace& ns : bench.namespaces) {
    const auto check = [&](const char* name, std::uint64_t offset, std::uint32_t bytes, std::uint32_t write,
                           std::uint32_t read) {
      write_read_verify(bench, queue, ns, offset, bytes, write, read, named(name, ns.block_bytes));
    };
    check("blocks", kScratch, 256 * 1024, ns.block_bytes, 64 * 1024);
    check("prp_lists", kScratch + (1 << 20), 384 * 1024, 12288, 128 * 1024);
    const std::uint64_t before = queue.counts().split;
    check("mdts_splits", 0, kArea, 1 << 20, 256 * 1024);
    result(named("were_split", ns.block_bytes), queue.counts().split >= before + 8 + 32,
           std::to_string(queue.counts().split));
  }
}

// 15 slots, hundreds of requests, splits among them.
void check_overflow(Bench& bench) {
  Queue queue;
  if (const auto done = bench.controller.open_queue(queue, {.entries = 16, .requests = 512, .splits = 8}); !done)
    return static_cast<void>(result("ring_overflow", false, text_of(done.error())));
  const nvme::Namespace& ns = bench.namespaces[0];
  fill_pattern(bench.memory.memory, 4 << 20, kScratch, ns.nsid);
  Batch writes(400);
  const Run small{.opcode = NvmOpcode::write,
                  .nsid = 1,
                  .block_bytes = 512,
                  .offset_bytes = kScratch,
                  .iova = bench.memory.iova,
                  .bytes = 4096,
                  .count = 300};
  Run large = small;
  large.offset_bytes += 2 << 20;
  large.iova += 2 << 20;
  large.bytes = 1 << 20;
  large.count = 2;
  writes.submit(queue, small);
  writes.submit(queue, large);
  result("waiting_for_slots", queue.waiting() > 0 && queue.in_flight() == 15, std::to_string(queue.waiting()));
  const Outcome& written = writes.finish(queue);
  result("ring_overflow", written.all_good() && written.again == 0, shown(written));
  write_read_verify(bench, queue, ns, kScratch, 4 << 20, 65536, 4096, "overflow_read_back");
  result("nothing_unexpected", queue.counts().unexpected == 0 && queue.in_flight() == 0 && queue.waiting() == 0);
  bench.controller.close_queue(queue);
}

void check_other_commands(Bench& bench, Queue& queue) {
  const nvme::Namespace& ns = bench.namespaces[1];
  const Run beyond{.nsid = 1, .offset_bytes = 64u << 20, .iova = bench.memory.iova, .bytes = 512};
  Batch batch_beyond(1);
  batch_beyond.submit(queue, beyond);
  const Outcome& outside = batch_beyond.finish(queue);
  result("beyond_the_end", outside.bad == 1 && nvme::status_kind(outside.last_status) == nvme::kLbaOutOfRange,
         shown(outside));
  const auto finish_one = [&queue](const auto& submit) {
    Outcome outcome{.submitted = 1};
    Slot slot{&outcome};
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    for (bool taken = submit(&slot) == 0; taken && outcome.ended() == 0 && std::chrono::steady_clock::now() < end;) {
      queue.ring();
      queue.poll(8, [](void*, std::uint16_t) {});
    }
    return outcome;
  };
  const auto command = [&](NvmOpcode opcode, std::uint32_t cdw12) {
    nvme::Command c;
    c.opcode = static_cast<std::uint8_t>(opcode);
    c.nsid = ns.nsid;
    c.cdw10 = kScratch / ns.block_bytes;
    c.cdw12 = cdw12;
    return finish_one([&](Slot* slot) { return queue.submit(c, 0, 0, ns.block_bytes, note_end, slot); });
  };
  const Outcome flush = command(NvmOpcode::flush, 0);
  result("flush", flush.good == 1, shown(flush));
  result("fua_write", transfer(queue,
                               {.opcode = NvmOpcode::write,
                                .nsid = 2,
                                .block_bytes = 4096,
                                .offset_bytes = kScratch,
                                .iova = bench.memory.iova,
                                .bytes = 65536,
                                .flags = nvme::kForceUnitAccess},
                               "fua_write"));
  const Outcome zeroes = command(NvmOpcode::write_zeroes, 3);
  std::memset(bench.memory.memory, 0xee, 16384);
  transfer(queue, {.nsid = 2, .block_bytes = 4096, .offset_bytes = kScratch, .iova = bench.memory.iova, .bytes = 16384},
           "write_zeroes");
  bool zero = true;
  for (std::size_t i = 0; i < 16384; ++i) zero &= bench.memory.memory[i] == std::byte{0};
  result("write_zeroes", zeroes.good == 1 && zero, shown(zeroes));
  const Outcome trimmed =
      finish_one([&](Slot* slot) { return queue.deallocate(2, kScratch / 4096, 16, note_end, slot); });
  result("deallocate", trimmed.good == 1, shown(trimmed));
}

// Each trick of the path that a processor without AVX-512 can take, on a device that is not our own.
template <nvme::Policy P>
void check_policy(Bench& bench, const char* name) {
  nvme::QueuePair<P> queue;
  const auto done = bench.controller.open_queue(queue, {.entries = 64, .trackers_4k_apart = P.trackers_4k_apart});
  if (!done) return static_cast<void>(result(name, false, text_of(done.error())));
  write_read_verify(bench, queue, bench.namespaces[0], kScratch, 512 * 1024, 4096, 4096, name);
  bench.controller.close_queue(queue);
}

void check_policies(Bench& bench) {
  check_policy<nvme::Policy{.copy = nvme::SqCopy::sse2, .cq_doorbell = nvme::CqDoorbell::entry}>(bench, "policy_sse2");
  check_policy<nvme::Policy{.copy = nvme::SqCopy::nontemporal,
                            .cq_doorbell = nvme::CqDoorbell::lazy,
                            .lookahead = nvme::Lookahead::pipeline,
                            .cq_read = nvme::CqRead::line}>(bench, "policy_nontemporal_lazy_lines");
  check_policy<nvme::Policy{.sq_doorbell = nvme::SqDoorbell::command,
                            .lookahead = nvme::Lookahead::none,
                            .context = nvme::Context::in_request,
                            .trackers_4k_apart = true,
                            .divide = true}>(bench, "policy_before_the_fixes");
}

// Requests in flight and waiting when the controller is reset: each ends once, and afterwards all works again.
void check_reset(Bench& bench, Queue& queue) {
  Batch load(400);
  for (unsigned i = 0; i < 8; ++i)
    load.submit(queue, {.nsid = 1, .offset_bytes = kScratch, .iova = bench.memory.iova, .bytes = 65536, .count = 50});
  queue.poll(16, [](void*, std::uint16_t) {});
  const auto done = bench.controller.reset();
  const Outcome& o = load.outcome();
  result("reset", done.ok(), done ? "" : text_of(done.error()));
  result("reset_ends_each_once", o.submitted == 400 && o.ended() == 400 && o.twice == 0 && o.bad > 0, shown(o));
  write_read_verify(bench, queue, bench.namespaces[1], kScratch, 1 << 20, 65536, 65536, "works_after_reset");
}

}  // namespace

int drive(const std::string& address) {
  auto transport = open_or_say(address);
  if (!transport) return 1;
  auto opened = Controller::open(std::move(transport));
  if (!result("bring_up", opened.ok(), opened ? "" : text_of(opened.error()))) return 1;
  Controller& controller = **opened;
  const auto memory = controller.transport().allocate(kArea + 65536);
  const auto small = controller.open_namespace(1), large = controller.open_namespace(2);
  Queue queue;
  const auto made = controller.open_queue(queue, {.entries = 128, .requests = 1024});
  if (!memory || !small || !large || !made) return result("prepare", false) ? 0 : 1;
  Bench bench{controller, *memory, {*small, *large}};
  check_identify(bench);
  check_admin(bench);
  check_kernel_data(bench, queue);
  check_data(bench, queue);
  check_other_commands(bench, queue);
  check_overflow(bench);
  check_policies(bench);
  check_reset(bench, queue);
  controller.close_queue(queue);
  check_queue_number(bench);
  controller.transport().release(*memory);
  controller.shutdown();
  result("shutdown",
         (controller.transport().read32(nvme::kCsts) & nvme::kCstsShutdownMask) == nvme::kCstsShutdownComplete);
  return 0;
}

}  // namespace fathom::guest
