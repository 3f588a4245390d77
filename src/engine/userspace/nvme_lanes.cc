// The parts of the nvme engine outside the hot path.
#include "engine/userspace/nvme_lanes.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <utility>

#include "io/options/nvme.h"
#include "nvme/device_address.h"
#include "nvme/policy.h"
#include "nvme/registers.h"
#include "nvme/sq_copy.h"
#include "nvme/status.h"

namespace fathom::engine::userspace {
namespace {

// interval of the health checks of the device while no completion arrives
constexpr std::uint64_t kLookEvery_ns = 50'000'000;
constexpr unsigned kChecksATimeout = 4;  // checks per timeout: a timeout is detected late by a quarter of it at most

constexpr const char* kSqCopyNames[] = {"words", "sse2", "nontemporal", "avx512", "movdir64b"};

struct StatusErrno {
  std::uint16_t status;
  int err;
};
constexpr StatusErrno kErrnos[] = {
    {0x001, EOPNOTSUPP}, {0x002, EINVAL}, {0x007, ECANCELED}, {0x008, ECANCELED},
    {0x00b, ENODEV},     {0x080, ERANGE}, {0x081, ENOSPC},    {0x182, EROFS},
};

// Twice the depth, if the controller supports it. Then completions need not be returned to the device at every poll.
std::uint32_t ring_entries(const Setup& setup, nvme::Controller& controller, std::uint32_t commands) {
  const std::uint32_t most = std::bit_floor(std::min(controller.cap().queue_entries_max(), 65536u));
  const std::uint32_t asked = setup.options.of<io::NvmeOptions>().queue_entries;
  const std::uint32_t wanted = asked != 0 ? std::bit_ceil(asked) : std::bit_ceil(2 * std::min(commands, 32768u));
  return std::clamp(wanted, 2u, most);
}

}  // namespace

const char* sq_copy_name(std::uint32_t sq_copy) {
  return sq_copy < std::size(kSqCopyNames) ? kSqCopyNames[sq_copy] : "";
}

base::Expected<void> NvmeLanes::open_lanes(const Setup& setup, const std::vector<nvme::QueueCore*>& queues,
                                           const Shape& shape) {
  lanes_ = std::make_unique<Lane[]>(queues.size());
  opened_ = std::vector<Opened>(queues.size());
  late_ = std::make_unique<io::Completion[]>(setup.depth);
  late_count_ = 0;
  single_ = queues.size() == 1;
  why_ = std::make_unique<Why[]>(setup.depth);
  timeout_ns_ = setup.options.of<io::NvmeOptions>().timeout_ns;
  look_ = nvme::Interval(kLookEvery_ns);
  check_ = nvme::Interval(timeout_ns_ / kChecksATimeout);
  buffers_ = {setup.buffers, setup.depth * setup.buffer_stride, setup.buffers_fd, setup.buffers_fd_offset};
  for (std::size_t i = 0; i < queues.size(); ++i)
    if (auto ok = open_lane(setup, i, *queues[i], shape); !ok) {
      close_lanes();
      return ok;
    }
  return {};
}

base::Expected<void> NvmeLanes::open_lane(const Setup& setup, std::size_t index, nvme::QueueCore& queue,
                                          const Shape& shape) {
  auto address = nvme::parse_address(setup.targets[index].path);
  if (!address) return address.error();
  auto device = nvme_device(*address, setup.options);
  if (!device) return device.error();
  auto& controller = *(*device)->controller;
  auto ns = controller.open_namespace(address->nsid);
  if (!ns) return ns.error();
  Opened& opened = opened_[index];
  opened.device = *device;

  nvme::QueueOptions options;
  const auto parts = static_cast<std::uint32_t>((setup.buffer_stride - 1) / controller.transfer_bytes_max() + 1);
  const std::uint32_t commands = setup.depth * parts;
  options.entries = ring_entries(setup, controller, commands);
  options.in_flight = std::min(commands, options.entries - 1);
  options.requests = std::max(commands, 16u);
  options.splits = setup.depth;
  options.trackers_4k_apart = shape.apart;
  options.completion_entry_bytes = shape.entry_bytes;
  if (auto ok = controller.open_queue(queue, options); !ok) return ok;
  opened.queue = &queue;
  queue.set_owner(ended_beside, this);
  if (auto ok = open_unused(opened, setup.options.of<io::NvmeOptions>().unused_queues, options); !ok) return ok;
  auto iova = map_buffers(**device, opened);
  if (!iova) return iova.error();

  Lane& lane = lanes_[index];
  lane.queue = &queue;
  lane.iova_delta = *iova - reinterpret_cast<std::uint64_t>(buffers_.memory);
  lane.nsid = address->nsid;
  lane.head[0] = nvme::command_head(static_cast<std::uint8_t>(nvme::NvmOpcode::read), 0, lane.nsid);
  lane.head[1] = nvme::command_head(static_cast<std::uint8_t>(nvme::NvmOpcode::write), 0, lane.nsid);
  lane.block_shift = static_cast<std::uint8_t>(std::countr_zero(ns->block_bytes));
  lane.deallocates = ns->deallocates;
  if (setup.options.sync_writes) lane.flags[1] = nvme::kForceUnitAccess;
  auto& transport = controller.transport();
  if (transport.steps() && std::find(stepped_.begin(), stepped_.end(), &transport) == stepped_.end())
    stepped_.push_back(&transport);
  if (*transport.fallback() != 0) note(transport.fallback());
  if (options.in_flight < commands)
    note(fmt::format("{}: iodepth={} exceeds the controller's rings: {} in flight, the other I/Os wait",
                     setup.targets[index].path, setup.depth, options.in_flight));
  return {};
}

// Opens unused queue pairs: some controllers are slower, or divide their resources, with more queue pairs.
base::Expected<void> NvmeLanes::open_unused(Opened& opened, std::uint32_t number, const nvme::QueueOptions& options) {
  for (std::uint32_t i = 0; i < number; ++i) {
    auto queue = std::make_unique<nvme::QueueCore>();
    if (auto ok = opened.device->controller->open_queue(*queue, options); !ok) return ok;
    opened.unused.push_back(std::move(queue));
  }
  return {};
}

// Maps the buffers once per controller: two of its namespaces see them at the same address.
base::Expected<std::uint64_t> NvmeLanes::map_buffers(NvmeDevice& device, Opened& opened) {
  for (std::size_t i = 0; i < opened_.size() && &opened_[i] != &opened; ++i)
    if (opened_[i].device.get() == &device)
      return lanes_[i].iova_delta + reinterpret_cast<std::uint64_t>(buffers_.memory);
  auto iova = device.controller->map_memory(buffers_);
  opened.mapped = iova.ok();
  return iova;
}

// Closes all queues first, so that none can transfer data when the buffers are unmapped.
void NvmeLanes::close_lanes() {
  for (auto& opened : opened_) {
    if (opened.queue != nullptr) opened.device->controller->close_queue(*opened.queue);
    for (auto& queue : opened.unused) opened.device->controller->close_queue(*queue);
  }
  for (auto& opened : opened_)
    if (opened.mapped) opened.device->controller->unmap_memory(buffers_);
  opened_.clear();
  stepped_.clear();
}

void NvmeLanes::note(const std::string& text) {
  if (std::find(fallbacks_.begin(), fallbacks_.end(), text) == fallbacks_.end()) fallbacks_.push_back(text);
}

// A sync is a flush of the namespace. A trim is a dataset management command with one range.
void NvmeLanes::post_rare(std::uint32_t slot, const io::Request& request) {
  Lane& lane = lanes_[request.target];
  int rc = 0;
  if (request.dir == io::Dir::sync) {
    nvme::Command flush;
    flush.opcode = static_cast<std::uint8_t>(nvme::NvmOpcode::flush);
    flush.nsid = lane.nsid;
    rc = lane.queue->submit(flush, 0, 0, 0, nullptr, context(slot));
  } else if (!lane.deallocates) {
    rc = -EOPNOTSUPP;
  } else {
    rc = lane.queue->deallocate(lane.nsid, request.offset >> lane.block_shift, request.length >> lane.block_shift,
                                nullptr, context(slot));
  }
  if (rc != 0) refuse(slot, request.target, rc);
}

void NvmeLanes::refuse(std::uint32_t slot, std::uint16_t target, int rc) {
  const int ending = rc == -ENXIO ? opened_[target].ending : 0;
  why_[slot] = {0, static_cast<std::int16_t>(ending)};
  add_late(slot, ending != 0 ? -ending : rc);
}

void NvmeLanes::add_late(std::uint32_t slot, int result) { late_[late_count_++] = {slot, result}; }

unsigned NvmeLanes::take_late(std::span<io::Completion> out) {
  const auto n = std::min<std::size_t>(late_count_, out.size());
  std::copy_n(late_.get(), n, out.begin());
  late_count_ -= static_cast<std::uint32_t>(n);
  std::copy_n(late_.get() + n, late_count_, late_.get());
  return static_cast<unsigned>(n);
}

// Called at the end of a split command, or of a command on a device that is gone.
void NvmeLanes::ended_beside(void* owner, void* context, std::uint16_t status) {
  auto& self = *static_cast<NvmeLanes*>(owner);
  const std::uint32_t slot = slot_of(context);
  if (self.ending_ != 0) {
    self.why_[slot] = {0, static_cast<std::int16_t>(self.ending_)};
    self.add_late(slot, -self.ending_);
  } else {
    self.add_late(slot, status == 0 ? 0 : self.failed(slot, status));
  }
}

int NvmeLanes::failed(std::uint32_t slot, std::uint16_t status) {
  why_[slot] = {status, 0};
  const auto* row = std::find_if(std::begin(kErrnos), std::end(kErrnos),
                                 [&](const auto& r) { return r.status == nvme::status_kind(status); });
  return row == std::end(kErrnos) ? -EIO : -row->err;
}

std::string NvmeLanes::explain(std::uint32_t slot) const {
  const Why& why = why_[slot];
  if (why.ending == ENODEV) return "the device is gone";
  if (why.ending == ETIMEDOUT)
    return fmt::format("the device did not answer within nvme_timeout={}ms", timeout_ns_ / 1'000'000);
  if (why.ending != 0) return "the controller failed";
  return why.status == 0 ? "" : nvme::status_text(why.status);
}

void NvmeLanes::rest() {
  if (look_.passed())
    for (std::size_t i = 0; i < opened_.size(); ++i) look_after(i);
  if (timeout_ns_ != 0 && check_.passed())
    for (std::size_t i = 0; i < opened_.size(); ++i) check_overdue(i);
}

void NvmeLanes::look_after(std::size_t lane) {
  auto& opened = opened_[lane];
  if (opened.queue->dead()) return;
  auto& controller = *opened.device->controller;
  if (const int failed = opened.device->failed.load(); failed != 0)
    give_up(lane, failed);
  else if (controller.transport().gone())
    give_up(lane, ENODEV);
  else if (controller.failed())
    give_up(lane, controller.transport().gone() ? ENODEV : EIO);
}

// First asks the device to abort the command. If the command is still there at the next check, the device is given up.
void NvmeLanes::check_overdue(std::size_t lane) {
  auto& opened = opened_[lane];
  if (opened.queue->dead()) return;
  const int cid = opened.queue->overdue(kChecksATimeout);
  const int before = std::exchange(opened.aborting, cid);
  if (cid < 0) return;
  if (cid == before || !opened.device->controller->abort(*opened.queue, static_cast<std::uint16_t>(cid)))
    give_up(lane, ETIMEDOUT);
}

// The first worker that gets here disables the controller, before memory that it might still write to is used again.
void NvmeLanes::give_up(std::size_t lane, int err) {
  auto& opened = opened_[lane];
  if (err != ENODEV) opened.device->controller->disable();
  int none = 0;
  opened.device->failed.compare_exchange_strong(none, err);
  opened.ending = ending_ = err;
  opened.queue->kill();
  opened.queue->abort_all(nvme::kStatusAborted);
  ending_ = 0;
}

void NvmeLanes::clear_counts() {
  for (auto& opened : opened_) opened.queue->clear_counts();
}

// A completion after the last command has ended is counted as unexpected. The device gets a moment to send it.
QueueCounts NvmeLanes::counts() const {
  constexpr useconds_t kMoment_us = 500;
  QueueCounts all;
  if (!opened_.empty()) ::usleep(kMoment_us);
  for (const auto& opened : opened_) {
    const auto c = opened.queue->counts();
    QueueCounts one;
    one.queue_pairs = 1;
    one.commands = c.commands;
    one.completions = c.completions;
    one.sq_doorbells = c.sq_doorbells;
    one.cq_doorbells = c.cq_doorbells;
    one.polls = c.polls;
    one.idle_polls = c.idle_polls;
    one.waited = c.waited;
    one.split = c.split;
    one.unexpected = c.unexpected;
    one.timeouts = c.timeouts;
    one.aborted = c.aborted;
    one.doorbell_cost_ns = opened.queue->transport().doorbell_cost_ns();
    one.sq_copy = sq_copy_;
    all.add(one);
  }
  return all;
}

}  // namespace fathom::engine::userspace
