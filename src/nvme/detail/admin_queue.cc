// Runs one admin command at a time, with a bounded wait.
#include "nvme/detail/admin_queue.h"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "nvme/detail/device_error.h"
#include "nvme/prp.h"
#include "nvme/status.h"

namespace fathom::nvme::detail {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kGivenUpMax = 4;  // maximum of unanswered commands before the queue accepts no more
constexpr unsigned kPollMax = 32;

constexpr std::size_t round_up(std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; }

}  // namespace

struct AdminQueue::Pending {
  bool done = false;
  Completion completion;
  DmaMemory memory;
};

AdminQueue::AdminQueue(Transport& transport, std::uint32_t timeout_ms, NowNs now_ns)
    : transport_(transport), timeout_ms_(timeout_ms), now_ns_(now_ns) {}

AdminQueue::~AdminQueue() {
  queue_.abort_all(kStatusAborted);
  forget_answered();
  if (bounce_.memory != nullptr) transport_.release(bounce_);
}

base::Expected<void> AdminQueue::make(std::uint32_t entries, std::uint32_t doorbell_stride_bytes) {
  QueueOptions options;
  options.entries = entries;
  options.requests = 8;
  options.splits = 0;
  QueueLimits limits;
  limits.doorbell_stride_bytes = doorbell_stride_bytes;
  limits.transfer_bytes_max = kTransferBytesMax;
  return queue_.make(transport_, 0, options, limits);
}

AdminRings AdminQueue::rings() const {
  return {queue_.sq_iova(), queue_.cq_iova(), queue_.entries(), queue_.cq_entries()};
}

base::Expected<DmaMemory> AdminQueue::bounce(std::size_t bytes) {
  if (bounce_.bytes < bytes) {
    if (bounce_.memory != nullptr) transport_.release(bounce_);
    bounce_ = {};
    auto memory = transport_.allocate(round_up(bytes, kPage));
    if (!memory) return memory;
    bounce_ = *memory;
  }
  std::memset(bounce_.memory, 0, bytes);
  return bounce_;
}

void AdminQueue::completed(void* context, const Completion& completion) {
  auto* pending = static_cast<Pending*>(context);
  pending->completion = completion;
  pending->done = true;
}

base::Expected<void> AdminQueue::wait_for(const Pending& pending, const std::string& name) {
  Wait wait(transport_, now_ns_, timeout_ms_);
  for (;;) {
    poll();
    if (pending.done) return {};
    if (wait.time_to_look())
      if (auto error = lost(transport_)) return *std::move(error);
    if (!wait.again()) {
      poll();
      if (pending.done) return {};
      return overdue_error(device(), name, timeout_ms_);
    }
  }
}

base::Expected<Completion> AdminQueue::run(const Command& command, std::span<std::byte> data, Direction direction) {
  const std::string name = admin_opcode_name(command.opcode);
  if (given_up_.size() >= kGivenUpMax) {
    auto error = overdue_error(device(), name, timeout_ms_);
    error.cause = fmt::format("the controller did not complete {} earlier admin commands", kGivenUpMax);
    return error;
  }
  if (data.size() > kTransferBytesMax)
    return base::Error{.what = fmt::format("{}: {}: {} bytes of data", device(), name, data.size()),
                       .cause = fmt::format("one admin command moves at most {} bytes", kTransferBytesMax),
                       .help = "split the request",
                       .place = {}};
  auto pending = std::make_unique<Pending>();
  std::uint64_t iova = 0;
  const auto bytes = static_cast<std::uint32_t>(round_up(data.size(), 4));
  if (bytes != 0) {
    auto memory = bounce(bytes);
    if (!memory) return memory.error();
    iova = memory->iova;
    if (direction == Direction::to_device) std::memcpy(memory->memory, data.data(), data.size());
  }
  if (const int rc = queue_.submit(command, iova, bytes, 0, completed, pending.get()); rc != 0)
    return base::system_error(device() + ": " + name, -rc);
  queue_.ring();
  if (auto waited = wait_for(*pending, name); !waited) {
    // A late completion finds its memory here, and no other memory.
    pending->memory = std::exchange(bounce_, {});
    given_up_.push_back(std::move(pending));
    return waited.error();
  }
  if (bytes != 0 && direction == Direction::from_device) std::memcpy(data.data(), bounce_.memory, data.size());
  return pending->completion;
}

base::Expected<Completion> AdminQueue::run_well(const Command& command, std::span<std::byte> data,
                                                Direction direction) {
  auto completion = run(command, data, direction);
  if (completion && status_of(*completion) != 0)
    return status_error(device(), admin_opcode_name(command.opcode), status_of(*completion));
  return completion;
}

void AdminQueue::arm_events(unsigned requests) {
  for (unsigned i = 0; i < std::min(requests, kAsyncEventsMax); ++i)
    if (!arm()) break;
  queue_.ring();
}

bool AdminQueue::arm() {
  Command c;
  c.opcode = static_cast<std::uint8_t>(AdminOpcode::async_event_request);
  return queue_.submit(c, 0, 0, 0, event_completed, this) == 0;
}

// A request that ended with an error is not sent again: the controller rejected it.
void AdminQueue::event_completed(void* context, const Completion& completion) {
  auto* self = static_cast<AdminQueue*>(context);
  if (status_of(completion) != 0) return;
  if (self->events_.size() < kEventsKept) self->events_.push_back(completion.result);
  self->arm();
}

void AdminQueue::poll() {
  queue_.poll(kPollMax, [](void*, std::uint16_t) {});
  queue_.ring();
  forget_answered();
}

std::vector<std::uint32_t> AdminQueue::take_events() { return std::exchange(events_, {}); }

void AdminQueue::forget_answered() {
  std::erase_if(given_up_, [this](const auto& pending) {
    if (pending->done && pending->memory.memory != nullptr) transport_.release(pending->memory);
    return pending->done;
  });
}

void AdminQueue::restart() {
  queue_.abort_all(kStatusAborted);
  queue_.rewind();
  forget_answered();
}

}  // namespace fathom::nvme::detail
