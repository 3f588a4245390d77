// The loops over engine/nvme.h: which policies are compiled, and in which forms of the loop. A policy is part of the
// type, so each is a loop of its own. The two that jobs get by themselves exist in every form (clock, stamps, pacing);
// the others, which take one trick away or add one, only in the form that ablations are measured in: CPU clock,
// fathom's stamps, no pacing.
#pragma once
#include "engine/nvme.h"
#include "engine/nvme_policy.h"
#include "loops/instantiate.h"
#include "loops/table.h"

namespace fathom::loops {

using NvmeLoop = base::Expected<void> (*)(LoopContext&);
struct NvmeRow {
  nvme::Policy policy;
  NvmeLoop loop;
};

template <nvme::Policy P>
base::Expected<void> nvme_full(LoopContext& context) {
  using Engine = engine::NvmeEngine<P>;
  if (!context.job.depth_per_file || context.targets.size() == 1) {
    Engine engine;
    return drive<Engine, false>(engine, context);
  }
  auto group = open_group<Engine>(context);
  if (!group) return group.error();
  with_clock<Engine, false>(*group, context);
  return {};
}

// What the job itself has to say for the plain form, known before it runs.
inline bool plain_job(const job::Job& job) {
  const bool cpu_clock = job.clocksource == job::ClockSource::automatic || job.clocksource == job::ClockSource::cpu;
  return cpu_clock && !job.paced() && job.thinktime_ns == 0 && !job.verify && job.fill == job::Fill::stamped &&
         !job.fio_stamps && !job.gtod_reduce && !(job.disable_clat && job.disable_lat && job.disable_slat);
}

inline bool plain_form(const LoopContext& context) {
  return plain_job(context.job) && context.calibration.source == clock::Source::cpu && context.refill == nullptr &&
         context.verification == nullptr;
}

template <nvme::Policy P>
base::Expected<void> nvme_plain_form(LoopContext& context) {
  using Engine = engine::NvmeEngine<P>;
  if (!context.job.depth_per_file || context.targets.size() == 1) {
    Engine engine;
    if (auto opened = engine.open(setup_of(context, context.job.iodepth)); !opened) return opened;
    note_fallbacks(engine, context.record);
    run_loop<Engine, clock::CpuClock, Stamping::fathom, false, false>(engine, {}, context);
    engine.close();
    return {};
  }
  auto group = open_group<Engine>(context);
  if (!group) return group.error();
  run_group<Engine, clock::CpuClock, Stamping::fathom, false>(*group, {}, context);
  return {};
}

base::Expected<void> nvme_words_loop(LoopContext& context);        // kPlainPolicy
base::Expected<void> nvme_nontemporal_loop(LoopContext& context);  // kDeepPolicy
std::span<const NvmeRow> nvme_copy_rows();
std::span<const NvmeRow> nvme_trick_rows();

}  // namespace fathom::loops
