// Picks the instantiation of run's loop that a job needs, once, before it starts: clock x placement of stamps x pacing.
// Each engine's unit includes this and registers one function pointer in table.cc.
#pragma once
#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

#include "run/queue_loop_slow.h"
#include "run/sync_loop.h"
#include "workload/stream.h"

namespace fathom::loops {

using run::LoopContext;
using run::Stamping;

// One file of a job that keeps each of its files busy by itself (depth_per_file): its engine, stream and buffers.
template <class Engine>
struct OfOneFile {
  Engine engine;
  workload::Stream stream;
  LoopContext context;
  std::optional<run::Verification> verification;
  OfOneFile(LoopContext& whole, std::uint32_t file)
      : stream(whole.job, whole.targets.subspan(file, 1), whole.job_index * 1024 + file),
        context{whole.job,
                whole.targets.subspan(file, 1),
                &stream,
                whole.buffers.from(file * whole.job.iodepth),
                whole.record,
                whole.stop,
                whole.calibration,
                whole.refill,
                whole.new_pass,
                whole.at_end,
                file,
                whole.job_index,
                whole.ready,
                nullptr,
                whole.before_read_back,
                whole.stamps} {
    if (whole.verification == nullptr) return;
    verification.emplace(whole.job, context.targets, whole.job_index * 1024 + file, whole.verification->generation());
    context.verification = &*verification;
  }
};

template <class Engine>
struct Group {
  std::vector<std::unique_ptr<OfOneFile<Engine>>> files;
};

template <class Engine, class Clock, Stamping kStamps, bool kPaced>
void run_group(Group<Engine>& group, Clock clock, LoopContext& context) {
  using Loop = run::QueueLoop<Engine, Clock, kStamps, kPaced>;
  std::vector<std::unique_ptr<Loop>> loops;
  for (auto& file : group.files) loops.push_back(std::make_unique<Loop>(file->engine, clock, file->context));
  loops[0]->lead(loops);
  if (context.ready()) loops[0]->run();
}
template <class Engine, class Clock, Stamping kStamps, bool kPaced, bool kSynchronous>
void run_loop(Group<Engine>& group, Clock clock, LoopContext& context) {
  run_group<Engine, Clock, kStamps, kPaced>(group, clock, context);
}

template <class Engine, class Clock, Stamping kStamps, bool kPaced, bool kSynchronous>
void run_loop(Engine& engine, Clock clock, LoopContext& context) {
  using Loop = std::conditional_t<kSynchronous, run::SyncLoop<Engine, Clock, kStamps, kPaced>,
                                  run::QueueLoop<Engine, Clock, kStamps, kPaced>>;
  Loop loop(engine, clock, context);
  if (context.ready()) loop.run();
}

template <class Engine, class Clock, bool kPaced, bool kSynchronous, class Driven>
void with_stamps(Driven& engine, Clock clock, LoopContext& context) {
  const auto& job = context.job;
  if (job.gtod_reduce || (job.disable_clat && job.disable_lat && job.disable_slat))
    run_loop<Engine, Clock, Stamping::none, kPaced, kSynchronous>(engine, clock, context);
  else if (job.fio_stamps)
    run_loop<Engine, Clock, Stamping::fio, kPaced, kSynchronous>(engine, clock, context);
  else
    run_loop<Engine, Clock, Stamping::fathom, kPaced, kSynchronous>(engine, clock, context);
}

template <class Engine, class Clock, bool kSynchronous, class Driven>
void with_pacing(Driven& engine, Clock clock, LoopContext& context) {
  if (context.job.paced() || context.job.thinktime_ns != 0 || context.refill != nullptr ||
      context.verification != nullptr || context.stamps != nullptr)
    with_stamps<Engine, Clock, true, kSynchronous>(engine, clock, context);
  else
    with_stamps<Engine, Clock, false, kSynchronous>(engine, clock, context);
}

// Driven: the engine, or a Group of it.
template <class Engine, bool kSynchronous, class Driven>
void with_clock(Driven& engine, LoopContext& context) {
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
  options.has_writes = job.changes_targets();
  options.random = job.mode.random;
  options.sync_writes = job.sync_mode != job::SyncMode::none;
  const auto& buffers = context.buffers;
  return {job.ioengine, options, context.targets, depth, buffers.base, buffers.stride, buffers.fd, buffers.fd_offset};
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

// depth_per_file: an engine a file, all of them driven by this thread.
template <class Engine>
base::Expected<Group<Engine>> open_group(LoopContext& context) {
  Group<Engine> group;
  for (std::uint32_t file = 0; file < context.targets.size(); ++file) {
    group.files.push_back(std::make_unique<OfOneFile<Engine>>(context, file));
    auto& one = *group.files.back();
    if (auto opened = one.engine.open(setup_of(one.context, context.job.iodepth)); !opened) return opened.error();
    note_fallbacks(one.engine, context.record);
  }
  return group;
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
