// The controller's internal state, shared by its source files: registers.cc (enable, disable, shutdown), queues.cc
// (create and delete), admin.cc with identify.cc, features.cc and log_pages.cc, io.cc (the I/O commands), ideal.cc (the
// fast path), step.cc (fetch, post, due times). Only the holder of the gate may access it, except the atomic registers.
#pragma once
#include <array>
#include <atomic>
#include <memory>
#include <vector>

#include "nvme/command.h"
#include "nvme/registers.h"
#include "nvme/soft/commands/log_pages.h"
#include "nvme/soft/controller.h"
#include "nvme/soft/faults.h"
#include "nvme/soft/latency.h"
#include "nvme/soft/memory/events.h"
#include "nvme/soft/memory/prp.h"
#include "nvme/soft/memory/regions.h"
#include "nvme/soft/memory/rings.h"
#include "nvme/soft/memory/store.h"
#include "nvme/soft/status.h"

namespace fathom::nvme::soft {

// Result of a command. later: no completion now (an asynchronous event request).
struct Outcome {
  Status status = kSuccess;
  std::uint32_t result = 0;
  bool later = false;
};

// A completion that waits for its due time.
struct Pending {
  std::uint64_t due_ns = 0;
  std::uint64_t order = 0;  // if the times are equal, the command fetched first goes first
  std::uint16_t sq_id = 0;
  std::uint16_t cid = 0;
  Outcome outcome;
  FaultKind fault = FaultKind::late;            // late: no fault that affects posting
  bool operator<(const Pending& other) const {  // for a heap with the earliest at the front
    return due_ns != other.due_ns ? due_ns > other.due_ns : order > other.order;
  }
};

struct Registers {
  std::atomic<std::uint32_t> csts{0};
  std::atomic<std::uint32_t> cc{0};
  std::atomic<std::uint32_t> aqa{0};
  std::atomic<std::uint32_t> interrupt_mask{0};
  std::atomic<std::uint64_t> asq{0}, acq{0};
};

// The constants that the ideal path reads for every command.
struct Shape {
  std::uint64_t blocks = 0;  // per namespace
  std::uint32_t namespaces = 0;
  std::uint32_t nlb_most = 0;  // as in the field: blocks minus one
  unsigned block_shift = 12;
};

struct State {
  State(const Options& options, Clock clock, std::unique_ptr<memory::Store> store, volatile std::uint32_t* doorbells);

  // Hot: read by an idle poll.
  std::atomic<bool> running{false};  // ready, not shut down, not failed
  bool ideal = false;                // no medium, no latency, no faults: the fast path serves reads and writes
  std::vector<memory::SubmissionRing*> active;  // I/O submission queues
  memory::SubmissionRing* admin = nullptr;
  std::vector<Pending> pending;  // a heap
  Shape shape;

  const Options options;
  const Clock clock;
  const std::unique_ptr<memory::Store> store;
  volatile std::uint32_t* const doorbells;
  std::atomic<bool> gone{false};
  Registers registers;
  memory::Regions regions;
  std::vector<std::unique_ptr<memory::SubmissionRing>> submission;  // by id; nullptr: no such queue
  std::vector<std::unique_ptr<memory::CompletionRing>> completion;
  std::vector<bool> active_namespaces;  // by nsid - 1
  LatencySampler latency;
  FaultPlan faults;
  memory::Events events;
  commands::ErrorLog errors;
  commands::ChangedNamespaces changed;
  commands::Counters counters;
  std::array<std::uint32_t, 16> features{};
  commands::TemperatureThresholds temperature;  // feature 04h, which has two thresholds
  std::uint32_t io_queues = 0;                  // allocated
  std::uint32_t page_bytes = 4096;
  std::uint64_t fetched = 0;
  std::vector<memory::Segment> segments;  // of the current command
  std::vector<std::byte> page;            // the data that an admin command returns
  unsigned steps_to_look = 0;             // steps since the last check of doorbells of queues that do not exist

  std::size_t stride_words() const { return 1u << options.doorbell_stride; }
  volatile std::uint32_t* sq_doorbell(std::uint32_t id) const {
    return doorbells + std::size_t{2} * id * stride_words();
  }
  volatile std::uint32_t* cq_doorbell(std::uint32_t id) const {
    return doorbells + (std::size_t{2} * id + 1) * stride_words();
  }
  bool namespace_is_active(std::uint32_t nsid) const {
    return nsid >= 1 && nsid <= options.namespaces && active_namespaces[nsid - 1];
  }
};

// registers.cc
std::uint64_t capabilities(const Options& options);
void write_cc(State& state, std::uint32_t value);
void stop(State& state);  // a controller reset: deletes the queues, clears RDY and CFS
void fail(State& state);  // CSTS.CFS
void take_away(State& state);

// queues.cc
Outcome create_completion_queue(State& state, const Command& command);
Outcome create_submission_queue(State& state, const Command& command);
Outcome delete_completion_queue(State& state, const Command& command);
Outcome delete_submission_queue(State& state, const Command& command);
bool make_admin_queues(State& state);
void drop_all_queues(State& state);
void find_rings(State& state);  // call after a change of the driver's memory
void forget_ring_at(State& state, std::uint64_t iova);

// admin.cc, identify.cc, features.cc, log_pages.cc
Outcome execute_admin(State& state, const Command& command);
Outcome identify(State& state, const Command& command);
Outcome get_features(State& state, const Command& command);
Outcome set_features(State& state, const Command& command);
Outcome get_log_page(State& state, const Command& command);
void add_counts(commands::Counters& counters, const memory::SubmissionRing& sq,
                unsigned block_shift);                                   // counts of the ideal path
Status give(State& state, const Command& command, std::uint64_t bytes);  // state.page to the command's data pointer

// io.cc
Outcome execute_io(State& state, const Command& command);

// ideal.cc: fetches and completes reads and writes until one needs the slow path. Returns how many.
std::uint32_t serve_ideal(const Shape& shape, memory::SubmissionRing& sq, std::uint32_t count);

// step.cc
unsigned step(State& state);
void complete(const memory::SubmissionRing& sq, std::uint16_t cid, const Outcome& outcome);
void note_error(State& state, std::uint16_t sq_id, std::uint16_t cid, const Command& command, Status status);

}  // namespace fathom::nvme::soft
