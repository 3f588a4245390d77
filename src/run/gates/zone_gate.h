// zonemode=zbd: moves each I/O of a job to a place that the zones allow, right before it is issued, and resets or
// finishes zones on the way. A zone belongs to one job while that job has I/O in flight there: the order of its writes
// is then the order of their places.
// Two objects, because the loop asks for a request first and admits it later. ZoneDraws takes one request at a time
// from the job's source. ZoneGate places it, and tells the source where the I/O went, so that a sequential job goes on
// behind it.
// Thread rule: the worker's. The tables are shared, and locked for each choice.
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/error.h"
#include "io/target.h"
#include "job/job.h"
#include "run/gates/gate.h"
#include "run/gates/zone_tables.h"
#include "run/records/record.h"
#include "workload/source.h"
#include "workload/stream.h"
#include "workload/zones/choice.h"

namespace fathom::run::gates {

// Members are initialized by name. All outlive the gate.
struct ZoneGateParts {
  JobZones& zones;
  const job::Job& job;
  std::span<const io::Target> targets;
  workload::Stream& stream;
  records::WorkerRecord& record;
  // A zone with data was reset: verify= no longer expects them.
  std::function<void(const io::Request& zone)> data_gone;
};

class ZoneGate final : public Gate {
 public:
  explicit ZoneGate(ZoneGateParts parts);
  Admission enter(io::Request& request) override;
  void wait() override;
  void leave() override;
  void ended(const io::Request& request, int err) override;

  // The next request comes from the stream, which has bytes_left to go; then: it is this one.
  void draws(std::uint64_t bytes_left) { left_bytes_ = bytes_left; }
  void drew(io::Request& request);
  // verify=: the zones are reset before the first write of a pass, so that no reset destroys its data.
  void begin_pass() { reset_due_ = parts_.job.verify && parts_.job.mode.writes; }

 private:
  static constexpr std::uint64_t kNoWrite = ~std::uint64_t{0};
  struct OfTarget {
    std::uint64_t next_start = 0, moved_bytes = 0;  // zoneskip
    bool written = false;
  };
  Admission choose_place(io::Request& request);
  void admit(io::Request& request, std::uint32_t zone, std::uint64_t wp_before);
  void tell_stream(const io::Request& request);
  std::uint64_t next_position(const io::Request& request);
  Admission over(const io::Request& request);
  Admission fail(int err, const std::string& what);
  Admission change(Locked& locked, const workload::zones::Decision& decision);
  Admission reset_window();
  // The I/Os that the loop did not report (after an error, or a step of the clock) have ended as well. issued: the last
  // admitted request was issued.
  void forget_in_flight(bool issued);
  int reset(Locked& locked, std::uint32_t index);
  int on_device(Locked& locked, std::uint32_t index, int (*call)(const io::Target&, std::uint64_t, std::uint64_t));
  int recover(Locked& locked, std::uint32_t index);
  bool is_locked(const io::Request& request);
  void write_failed(const io::Request& request);
  ZoneTable& table() { return *parts_.zones.targets[target_].table; }
  const workload::zones::Window& window() const { return parts_.zones.targets[target_].window; }

  ZoneGateParts parts_;
  const bool synchronous_;
  std::vector<OfTarget> of_targets_;
  std::uint16_t target_ = 0;
  bool chosen_ = false;  // `wish_` belongs to the request that enter() gets
  workload::zones::Wish wish_;
  std::uint32_t drawn_bytes_ = 0;
  std::uint64_t left_bytes_ = 0;
  std::uint32_t in_flight_ = 0;  // in sequential zones
  bool waits_for_others_ = false, reset_due_ = false;
  std::uint32_t seen_ = 0;  // rings of the bell
  // The last admitted request, until another one is: the loop may end without issuing it.
  std::uint32_t last_zone_ = workload::zones::kNoZone;
  std::uint16_t last_target_ = 0;
  std::uint64_t last_wp_ = kNoWrite;  // before a write
};

// The source of such a job.
class ZoneDraws final : public workload::Source {
 public:
  // All arguments outlive this object.
  ZoneDraws(workload::Source& requests, workload::Stream& stream, ZoneGate& gate)
      : requests_(requests), stream_(stream), gate_(gate) {}
  std::size_t next(std::span<io::Request> out) override;
  bool begin_pass() override;

 private:
  workload::Source& requests_;
  workload::Stream& stream_;
  ZoneGate& gate_;
};

}  // namespace fathom::run::gates
