// Places the I/Os of a job.
#include "run/gates/zone_gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <utility>

#include "engine/zoned/zoned.h"
#include "io/engines.h"
#include "io/zone.h"
#include "job/fields/offset_choice.h"

namespace fathom::run::gates {
namespace {

namespace zones = workload::zones;
using Kind = zones::Decision::Kind;
using job::fields::ZonedDevice;

constexpr unsigned kSector = 9;  // messages name sectors of 512 bytes, as fio's do

}  // namespace

ZoneGate::ZoneGate(ZoneGateParts parts)
    : parts_(std::move(parts)),
      synchronous_(!io::traits_of(parts_.job.ioengine).asynchronous),
      of_targets_(parts_.targets.size()) {
  for (std::size_t i = 0; i < of_targets_.size(); ++i) of_targets_[i].next_start = parts_.targets[i].start;
  begin_pass();
}

// Nothing can be read before the first write: a mixed job begins with a write.
void ZoneGate::drew(io::Request& request) {
  drawn_bytes_ = request.length;
  const auto& job = parts_.job;
  const bool mixed = job.mode.reads && job.mode.writes && job.rwmix_read_percent < 100;
  if (request.dir != io::Dir::read || io::is_noted(request) || !mixed) return;
  if (of_targets_[request.target].written || job.of<ZonedDevice>().read_beyond_wp) return;
  constexpr auto kWrite = io::index(io::Dir::write);
  request.dir = io::Dir::write;
  const auto most = static_cast<std::uint32_t>(job.bs_max[kWrite]),
             least = static_cast<std::uint32_t>(job.bs_min[kWrite]);
  request.length = std::max(least, std::min(request.length, most) / least * least);
}

Admission ZoneGate::enter(io::Request& request) {
  if (request.dir == io::Dir::sync || io::is_noted(request)) return Admission::go;
  if (parts_.zones.targets[request.target].table == nullptr) return Admission::go;
  target_ = request.target;
  if (synchronous_) forget_in_flight(true);
  if (reset_due_)
    if (const auto done = reset_window(); done != Admission::go) return done;
  if (!std::exchange(chosen_, true)) {
    wish_ = {.dir = request.dir, .offset = request.offset, .length = request.length};
  }
  const auto admission = choose_place(request);
  if (admission != Admission::wait) chosen_ = false;
  return admission;
}

Admission ZoneGate::choose_place(io::Request& request) {
  Locked locked(table().lock());
  auto set = table().zones();
  for (;;) {
    const auto decision = zones::choose(set, parts_.zones.rules, window(), wish_, in_flight_ == 0);
    switch (decision.kind) {
      case Kind::go: {
        const bool writes = wish_.dir == io::Dir::write && decision.zone != zones::kNoZone;
        admit(request, decision.zone, writes ? wish_.offset : kNoWrite);
        return Admission::go;
      }
      case Kind::drain:
      case Kind::wait:
        waits_for_others_ = decision.kind == Kind::wait;
        seen_ = table().bell().rung();
        return Admission::wait;
      case Kind::over:
        return over(request);
      case Kind::failed:
        return fail(decision.err, decision.why);
      case Kind::reset:
      case Kind::finish:
      case Kind::recover:
        if (const auto done = change(locked, decision); done != Admission::go) return done;
    }
  }
}

// Does what the choice needs first.
Admission ZoneGate::change(Locked& locked, const zones::Decision& decision) {
  auto set = table().zones();
  const std::uint32_t index = decision.zone;
  const std::uint64_t sector = set[index].start >> kSector;
  const auto& path = table().path();
  if (decision.kind == Kind::reset) {
    const int err = reset(locked, index);
    if (err == 0) return Admission::go;
    return fail(err, fmt::format("{}: resetting wp for {} sectors at sector {} failed ({}).", path,
                                 table().zone_bytes() >> kSector, sector, err));
  }
  if (decision.kind == Kind::recover) {
    const int err = recover(locked, index);
    return err == 0 ? Admission::go : fail(err, fmt::format("fio: Failed to recover write pointer for {}", path));
  }
  if (const int err = on_device(locked, index, engine::zoned::finish_zone); err != 0)
    return fail(err, fmt::format("{}: finish zone at sector {} failed ({}).", path, sector, err));
  set.finish(index);
  return Admission::go;
}

// The zone belongs to this job during the call, and the table is not locked.
int ZoneGate::on_device(Locked& locked, std::uint32_t index,
                        int (*call)(const io::Target&, std::uint64_t, std::uint64_t)) {
  if (table().emulated()) return 0;
  auto set = table().zones();
  set.begin(index, parts_.zones.rules.job);
  const int err = locked.without([&] { return call(parts_.targets[target_], set[index].start, table().zone_bytes()); });
  set.end(index);
  return err;
}

int ZoneGate::reset(Locked& locked, std::uint32_t index) {
  auto set = table().zones();
  if (set[index].wp != set[index].start)
    if (const int err = on_device(locked, index, engine::zoned::reset_zone); err != 0) return err;
  const auto bytes = static_cast<std::uint32_t>(set[index].data_bytes());
  if (!set.reset(index)) return 0;
  ++parts_.record.zone_resets;
  if (parts_.data_gone) parts_.data_gone({set[index].start, 0, bytes, target_, io::Dir::trim, 0});
  return 0;
}

// recover_zbd_write_error: the write pointer is where the device left it; zeroes move it to the end of the last failed
// write.
int ZoneGate::recover(Locked& locked, std::uint32_t index) {
  auto set = table().zones();
  set.begin(index, parts_.zones.rules.job);
  const std::uint64_t start = set[index].start, end = set[index].failed_end;
  std::uint64_t wp = start;
  const int err = locked.without([&] {
    const io::Target& target = parts_.targets[target_];
    const auto now = engine::zoned::read_zone(target, start);
    if (!now) return now.error().sys_errno != 0 ? now.error().sys_errno : EIO;
    wp = now->wp;
    if (wp < start || wp > end) return EIO;
    return wp == end ? 0 : engine::zoned::fill_with_zeroes(target, wp, end - wp);
  });
  set.end(index);
  set[index].doubtful = false;
  set[index].failed_end = 0;
  set.advance(index, err == 0 ? end : wp);
  return err;
}

void ZoneGate::admit(io::Request& request, std::uint32_t zone, std::uint64_t wp_before) {
  request.offset = wish_.offset;
  request.length = wish_.length;
  last_zone_ = zone;
  last_target_ = target_;
  last_wp_ = wp_before;
  if (request.dir == io::Dir::write) of_targets_[target_].written = true;
  if (zone != zones::kNoZone) {
    ++in_flight_;
    const bool data = !table().emulated() && table().zones()[zone].data_bytes() != 0;
    if (request.dir == io::Dir::trim) request.flags |= data ? io::kResetZone : io::kUnwrittenZone;
  }
  tell_stream(request);
}

// A sequential job continues behind the I/O; zonecapacity: at the start of the next zone.
std::uint64_t ZoneGate::next_position(const io::Request& request) {
  auto set = table().zones();
  std::uint64_t next = request.offset + request.length;
  if (parts_.job.mode.random) return next;
  const std::uint32_t index = set.index_of(next - 1);
  const zones::Zone& zone = set[index];
  const std::uint64_t end = set.end_of(index);
  if (request.dir == io::Dir::write && zone.sequential && next >= zone.capacity_end()) next = end;
  const auto& options = parts_.job.of<ZonedDevice>();
  if (options.skip_bytes == 0) return next;
  OfTarget& own = of_targets_[target_];
  own.moved_bytes += request.length;
  const bool read_all = request.dir == io::Dir::read && !options.read_beyond_wp && next >= zone.wp;
  if (own.moved_bytes < table().zone_bytes() && next < end && !read_all) return next;
  own.moved_bytes = 0;
  own.next_start += table().zone_bytes() + options.skip_bytes;
  if (own.next_start >= parts_.targets[target_].size) own.next_start = parts_.targets[target_].start;
  return own.next_start;
}

void ZoneGate::tell_stream(const io::Request& request) {
  workload::Stream::Placed placed;
  placed.request = request;
  placed.next = next_position(request);
  placed.drawn_bytes = drawn_bytes_;
  placed.left_bytes = left_bytes_;
  parts_.stream.placed(placed);
}

Admission ZoneGate::over(const io::Request& request) {
  workload::Stream::Placed nowhere;
  nowhere.request = request;
  nowhere.request.length = 0;
  nowhere.next = request.offset;
  nowhere.drawn_bytes = drawn_bytes_;
  nowhere.left_bytes = left_bytes_;
  parts_.stream.placed(nowhere);
  parts_.stream.end_file(request.target);
  return Admission::skip;
}

Admission ZoneGate::fail(int err, const std::string& what) {
  if (auto* const e = parts_.record.add_error(err)) std::snprintf(e->what, sizeof e->what, "%s", what.c_str());
  return Admission::fail;
}

Admission ZoneGate::reset_window() {
  if (in_flight_ != 0) {
    waits_for_others_ = false;
    return Admission::wait;
  }
  const std::uint16_t own_target = target_;
  for (std::size_t t = 0; t < parts_.zones.targets.size(); ++t) {
    if (parts_.zones.targets[t].table == nullptr) continue;
    target_ = static_cast<std::uint16_t>(t);
    Locked locked(table().lock());
    auto set = table().zones();
    for (std::uint32_t i = window().first; i < window().end; ++i) {
      if (!set[i].sequential || set[i].offline() || set[i].wp == set[i].start) continue;
      if (set[i].busy_for(parts_.zones.rules.job)) {
        waits_for_others_ = true;
        seen_ = table().bell().rung();
        return Admission::wait;
      }
      if (const auto done = change(locked, {Kind::reset, i, 0, ""}); done != Admission::go) return done;
      set.remove_target(i);
    }
  }
  target_ = own_target;
  reset_due_ = false;
  return Admission::go;
}

void ZoneGate::wait() {
  forget_in_flight(true);
  if (waits_for_others_) table().bell().wait(seen_);
}

void ZoneGate::leave() { forget_in_flight(false); }

void ZoneGate::forget_in_flight(bool issued) {
  for (std::size_t t = 0; in_flight_ != 0 && t < parts_.zones.targets.size(); ++t) {
    ZoneTable* const of = parts_.zones.targets[t].table;
    if (of == nullptr) continue;
    {
      const Locked locked(of->lock());
      auto set = of->zones();
      const bool mine = last_zone_ != zones::kNoZone && last_target_ == t && last_wp_ != kNoWrite;
      if (!issued && mine && in_flight_ == 1) set.take_back(last_zone_, last_wp_);
      set.leave(parts_.zones.rules.job);
    }
    of->bell().ring();
  }
  in_flight_ = 0;
  if (!issued) last_zone_ = zones::kNoZone;
}

bool ZoneGate::is_locked(const io::Request& request) {
  if (request.dir == io::Dir::sync || io::is_noted(request) || in_flight_ == 0) return false;
  if (parts_.zones.targets[request.target].table == nullptr) return false;
  if (request.dir == io::Dir::read && parts_.zones.rules.read_beyond_wp) return false;
  target_ = request.target;
  auto set = table().zones();
  return set[set.index_of(request.offset)].sequential;
}

void ZoneGate::ended(const io::Request& request, int err) {
  if (!is_locked(request)) return;
  --in_flight_;
  {
    const Locked locked(table().lock());
    auto set = table().zones();
    const std::uint32_t index = set.index_of(request.offset);
    set.end(index);
    if (err != 0) {
      if (request.dir == io::Dir::write) write_failed(request);
    } else if (request.dir == io::Dir::trim) {
      parts_.record.zone_resets += set.reset(index) ? 1 : 0;
      set.remove_target(index);
    } else if (request.dir == io::Dir::write && request.offset + request.length >= set[index].capacity_end()) {
      set.remove_target(index);
    }
  }
  table().bell().ring();
}

// A synchronous write that failed moved nothing more, so the next one goes to the same place. Behind a failed write of
// a queue there may be others.
void ZoneGate::write_failed(const io::Request& request) {
  auto set = table().zones();
  const std::uint32_t index = set.index_of(request.offset);
  zones::Zone& zone = set[index];
  if (parts_.job.of<ZonedDevice>().recover_write_error && !table().emulated()) {
    zone.doubtful = true;
    zone.failed_end = std::max(zone.failed_end, request.offset + request.length);
  } else if (synchronous_) {
    set.advance(index, request.offset);
  }
}

std::size_t ZoneDraws::next(std::span<io::Request> out) {
  gate_.draws(stream_.bytes_left());
  if (requests_.next(out.first(1)) == 0) return 0;
  gate_.drew(out[0]);
  return 1;
}

bool ZoneDraws::begin_pass() {
  if (!requests_.begin_pass()) return false;
  gate_.begin_pass();
  return true;
}

}  // namespace fathom::run::gates
