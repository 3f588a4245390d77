// Picks the instance of run's loop for a job, once, before it starts. An engine's source file includes this header and
// compiles the common variants (clock x placement of timestamps x pacing). All other jobs share its generic variant.
// Every engine has the same variants: the overhead of a job's loop is measured with the engine that does no I/O
// (run/loop/own_cost.h).
#pragma once
#include <tuple>
#include <type_traits>

#include "run/loop/queue_loop_slow.h"
#include "run/loop/sync_loop.h"

namespace fathom::loops {

using run::loop::LoopContext;
using run::loop::Stamping;

template <class C, Stamping kS, bool kP, bool kD = false>
struct Variant {
  using Clock = C;
  static constexpr Stamping kStamps = kS;
  static constexpr bool kInstrumented = kP;
  static constexpr bool kDivided = kD;
  static bool fits(const LoopContext& context) {
    return context.calibration.source == Clock::kSource && run::loop::stamping_of(context.job) == kStamps &&
           run::loop::is_instrumented(context) == kInstrumented;
  }
};

// The rows: what most jobs need, and what is measured to the instruction. A synchronous loop is small, and the
// overhead of a clock is measured on it.
using Common = std::tuple<Variant<clock::sources::CpuClock, Stamping::fathom, false>,
                          Variant<clock::sources::CpuClock, Stamping::fio, false>,
                          Variant<clock::sources::CpuClock, Stamping::none, false>,
                          Variant<clock::sources::CpuClock, Stamping::fathom, true>>;
using OtherClocks = std::tuple<Variant<clock::sources::MonotonicClock, Stamping::fathom, false>,
                               Variant<clock::sources::GettimeofdayClock, Stamping::fathom, false>>;
using CommonSync = decltype(std::tuple_cat(Common(), OtherClocks()));
template <class Clock>
using Generic = Variant<Clock, Stamping::chosen, true>;

// The same for jobs with a latency breakdown of each I/O at its end: what most jobs need, and the generic variant.
using DividedCommon = Variant<clock::sources::CpuClock, Stamping::fathom, false, true>;
template <class Clock>
using Divided = Variant<Clock, Stamping::chosen, true, true>;
// No I/O of these engines passes through the kernel's block layer.
template <class Engine>
concept PastTheBlockLayer = run::loop::NeverFails<Engine> || run::loop::Polls<Engine>;

template <class Engine, class V>
using TraitsOf = run::loop::LoopTraits<Engine, typename V::Clock, V::kStamps, V::kInstrumented, V::kDivided>;
template <class Engine, class V>
using QueueLoop = run::loop::QueueLoop<TraitsOf<Engine, V>>;
template <class Engine, class V>
using SyncLoop = run::loop::SyncLoop<TraitsOf<Engine, V>>;

// Calls go(variant, clock) with the first row that fits.
template <class Engine, class... Row, class Go>
void with_variant(std::type_identity<std::tuple<Row...>>, const LoopContext& context, const Go& go) {
  if constexpr (!PastTheBlockLayer<Engine>) {
    using Any = run::loop::AnyClock;
    if (context.split != nullptr && DividedCommon::fits(context)) return go(DividedCommon(), DividedCommon::Clock());
    if (context.split != nullptr) return go(Divided<Any>(), Any::of(context.calibration.source));
  }
  const bool common = ((Row::fits(context) && (go(Row(), typename Row::Clock()), true)) || ...);
  if (!common) go(Generic<run::loop::AnyClock>(), run::loop::AnyClock::of(context.calibration.source));
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
  return {options,
          context.targets,
          depth,
          buffers.base,
          buffers.stride,
          buffers.fd,
          buffers.fd_offset,
          run::loop::job_facts(context)};
}

// Records each feature that an engine had to omit. It becomes a finding (no silent fallback).
template <class Engine>
void note_fallbacks(const Engine& engine, run::records::WorkerRecord& record) {
  if constexpr (requires { engine.fallbacks(); }) {
    std::size_t at = 0;
    for (const auto& text : engine.fallbacks()) {
      if (at == std::size(record.note)) return;
      std::strncpy(record.note[at++], text.c_str(), sizeof record.note[0] - 1);
    }
  }
}

template <class Loop, class Engine, class Clock>
void run_loop(Engine& engine, Clock clock, LoopContext& context) {
  Loop loop(engine, clock, context);
  if (context.ready()) loop.run();
}

// The same for an engine that must do work between the start signal and its first I/O.
template <class Loop, class Engine, class Clock>
base::Expected<void> run_begun_loop(Engine& engine, Clock clock, LoopContext& context) {
  Loop loop(engine, clock, context);
  if (!context.ready()) return {};
  auto begun = engine.begin();
  if (begun) loop.run();
  return begun;
}

template <class Engine>
base::Expected<void> open(Engine& engine, LoopContext& context, std::uint32_t depth) {
  if (auto opened = engine.open(setup_of(context, depth)); !opened) return opened;
  note_fallbacks(engine, context.record);
  return {};
}

template <class Engine>
base::Expected<void> drive_queue(Engine& engine, LoopContext& context) {
  if (auto opened = open(engine, context, context.job.iodepth); !opened) return opened;
  with_variant<Engine>(std::type_identity<Common>(), context, [&](auto variant, auto clock) {
    run_loop<QueueLoop<Engine, decltype(variant)>>(engine, clock, context);
  });
  engine.close();
  return {};
}

template <class Engine>
base::Expected<void> drive_sync(Engine& engine, LoopContext& context) {
  if (auto opened = open(engine, context, 1); !opened) return opened;
  base::Expected<void> begun;
  with_variant<Engine>(std::type_identity<CommonSync>(), context, [&](auto variant, auto clock) {
    using Loop = SyncLoop<Engine, decltype(variant)>;
    if constexpr (requires { engine.begin(); })
      begun = run_begun_loop<Loop>(engine, clock, context);
    else
      run_loop<Loop>(engine, clock, context);
  });
  engine.close();
  return begun;
}

}  // namespace fathom::loops
