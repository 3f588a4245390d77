// Picks the instantiation of run's loop that a job needs, once, before it starts: clock x placement of stamps x pacing.
// Each engine's unit includes this and registers one function pointer in table.cc.
#pragma once
#include <type_traits>

#include "run/queue_loop_slow.h"
#include "run/sync_loop.h"

namespace fathom::loops {

using run::LoopContext;
using run::Stamping;

template <class Engine, class Clock, Stamping kStamps, bool kPaced, bool kSynchronous>
void run_loop(Engine& engine, Clock clock, LoopContext& context) {
  using Loop = std::conditional_t<kSynchronous, run::SyncLoop<Engine, Clock, kStamps, kPaced>,
                                  run::QueueLoop<Engine, Clock, kStamps, kPaced>>;
  Loop loop(engine, clock, context);
  if (context.ready()) loop.run();
}

template <class Engine, class Clock, bool kPaced, bool kSynchronous>
void with_stamps(Engine& engine, Clock clock, LoopContext& context) {
  const auto& job = context.job;
  if (job.gtod_reduce || (job.disable_clat && job.disable_lat && job.disable_slat))
    run_loop<Engine, Clock, Stamping::none, kPaced, kSynchronous>(engine, clock, context);
  else if (job.fio_stamps)
    run_loop<Engine, Clock, Stamping::fio, kPaced, kSynchronous>(engine, clock, context);
  else
    run_loop<Engine, Clock, Stamping::fathom, kPaced, kSynchronous>(engine, clock, context);
}

template <class Engine, class Clock, bool kSynchronous>
void with_pacing(Engine& engine, Clock clock, LoopContext& context) {
  if (context.job.paced() || context.job.thinktime_ns != 0)
    with_stamps<Engine, Clock, true, kSynchronous>(engine, clock, context);
  else
    with_stamps<Engine, Clock, false, kSynchronous>(engine, clock, context);
}

template <class Engine, bool kSynchronous>
void with_clock(Engine& engine, LoopContext& context) {
  switch (context.calibration.source) {
    case clock::Source::cpu:
      return with_pacing<Engine, clock::CpuClock, kSynchronous>(engine, {}, context);
    case clock::Source::clock_gettime:
      return with_pacing<Engine, clock::MonotonicClock, kSynchronous>(engine, {}, context);
    case clock::Source::gettimeofday:
      return with_pacing<Engine, clock::GettimeofdayClock, kSynchronous>(engine, {}, context);
  }
}

inline engine::Setup setup_of(LoopContext& context, std::uint32_t depth) {
  const auto& job = context.job;
  io::EngineOptions options = job.engine;
  options.iodepth = depth;
  options.direct = job.direct;
  options.has_writes = job.mode.destructive();
  options.random = job.mode.random;
  return {job.ioengine, options, context.targets, depth, context.buffers.base(), context.buffers.stride()};
}

// What an engine had to do without becomes a finding (no silent fallback).
template <class Engine>
void note_fallbacks(const Engine& engine, run::WorkerRecord& record) {
  if constexpr (requires { engine.fallbacks(); }) {
    std::size_t at = 0;
    for (const auto& text : engine.fallbacks()) {
      if (at == std::size(record.note)) return;
      std::strncpy(record.note[at++], text.c_str(), sizeof record.note[0] - 1);
    }
  }
}

template <class Engine, bool kSynchronous>
base::Expected<void> drive(Engine& engine, LoopContext& context) {
  if (auto opened = engine.open(setup_of(context, kSynchronous ? 1 : context.job.iodepth)); !opened) return opened;
  note_fallbacks(engine, context.record);
  with_clock<Engine, kSynchronous>(engine, context);
  engine.close();
  return {};
}

}  // namespace fathom::loops
