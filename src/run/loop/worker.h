// One worker from start to end, the same in a forked process and in a thread: pin, open, prepare, wait for the start,
// run its engine's loop, sync, clean up. Its WorkerRecord contains the measurements. The worker reports to the parent
// what ended it.
#pragma once
#include <atomic>
#include <cstdint>
#include <span>

#include "clock/sources/calibration.h"
#include "run/files/targets.h"
#include "run/gates/claims.h"
#include "run/gates/zone_tables.h"
#include "run/loop/context.h"
#include "run/records/record.h"
#include "split/desk.h"
#include "verify/state/state_live.h"
#include "worker/channel.h"
#include "worker/steps.h"

namespace fathom::run::loop {

struct WorkerSetup {
  const files::Plan* plan = nullptr;
  std::uint32_t index = 0;  // in the run: part of the seed
  records::WorkerRecord* record = nullptr;
  const std::atomic<std::uint32_t>* stop = nullptr;
  worker::Steps* go = nullptr;  // 1: all workers that begin together are ready
  clock::sources::Calibration calibration;
  LoopFunction loop = nullptr;
  records::StampLogs* stamps = nullptr;              // null: single I/Os are not logged
  split::Desk* desk = nullptr;                       // null: no breakdown of I/Os
  const files::DescriptorLook* may_write = nullptr;  // null: not checked
  logs::LogRings* logs = nullptr;                    // null: no job has logs
  watch::Flows* flows = nullptr;
  std::span<records::WorkerRecord> lanes = {};  // io_submit_mode=offload: one record per lane; otherwise empty
  gates::Claims* claims = nullptr;              // null: no I/O of the job waits for one of another job or lane
  std::size_t first_place = 0;                  // of the job in the table of claims
  verify::state::LiveState* live = nullptr;     // null: no state of its writes is kept
  gates::JobZones* zones = nullptr;             // zonemode=zbd
};

// False: an error ended it, and was reported.
bool run_worker(const WorkerSetup& setup, const worker::Voice& voice);

}  // namespace fathom::run::loop
