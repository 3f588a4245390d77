// The choices, one class for reads and trims and one for writes. `return` of a Decision other than go means: again.
#include "workload/zones/choice.h"

#include <algorithm>
#include <cerrno>

namespace fathom::workload::zones {
namespace {

using Kind = Decision::Kind;

class Choice {
 public:
  Choice(ZoneSet& zones, const Rules& rules, const Window& window, Wish& wish, bool drained)
      : zones_(zones), rules_(rules), window_(window), wish_(wish), drained_(drained) {}
  Decision decide();

 private:
  Decision conventional(std::uint32_t index);
  Decision read(std::uint32_t index);
  Decision trim(std::uint32_t index);
  Decision write(std::uint32_t index);

  Decision near_with_data(std::uint32_t index, std::uint64_t min_bytes, std::uint32_t& found);
  bool take_target(std::uint32_t index);
  bool pick_target(std::uint32_t& index) const;
  std::uint32_t drawn_target() const;
  bool short_of_block(std::uint32_t index) const;
  std::uint32_t next_sequential(std::uint32_t index) const;
  Decision other_zone(std::uint32_t& index);
  Decision further_zone(std::uint32_t& index);
  Decision when_all_are_taken(std::uint32_t& index);
  Decision place_write(std::uint32_t index);
  bool reset_is_due(std::uint32_t index);

  Decision with(Kind kind, std::uint32_t zone = kNoZone) { return {kind, zone, 0, ""}; }
  Decision failed(int err, const char* why) { return {Kind::failed, kNoZone, err, why}; }
  // The zone that the choice will continue with.
  Decision again(Kind kind, std::uint32_t zone) {
    wish_.zone = wish_.taken = zone;
    return with(kind, zone);
  }
  std::uint32_t min_bytes() const { return rules_.min_bytes[io::index(wish_.dir)]; }
  std::uint32_t whole_blocks(std::uint64_t bytes) const {
    return static_cast<std::uint32_t>(bytes / min_bytes() * min_bytes());
  }
  std::uint64_t least_room() const { return rules_.write_remainder ? 1 : min_bytes(); }

  ZoneSet& zones_;
  const Rules& rules_;
  const Window& window_;
  Wish& wish_;
  const bool drained_;
};

constexpr Decision kFound{Kind::go, kNoZone, 0, ""};

Decision Choice::decide() {
  const std::uint32_t index = wish_.zone != kNoZone ? wish_.zone : zones_.index_of(wish_.offset);
  if (index >= zones_.count()) return with(Kind::over);
  const Zone& zone = zones_[index];
  if (!zone.sequential) return conventional(index);
  if (wish_.dir == io::Dir::read && rules_.read_beyond_wp && !zone.offline()) return with(Kind::go);
  if (wish_.dir == io::Dir::read) return read(index);
  return wish_.dir == io::Dir::write ? write(index) : trim(index);
}

// A write must not reach into a sequential zone.
Decision Choice::conventional(std::uint32_t index) {
  const std::uint64_t end = zones_.end_of(index);
  const bool reaches = index + 1 < zones_.count() && zones_[index + 1].sequential && wish_.offset + wish_.length > end;
  if (wish_.dir != io::Dir::write || !reaches) return with(Kind::go);
  if (wish_.offset + min_bytes() > end) wish_.offset = zones_[index].start + (end - wish_.offset);
  wish_.length = whole_blocks(std::min<std::uint64_t>(wish_.length, end - wish_.offset));
  return with(wish_.length == 0 ? Kind::over : Kind::go);
}

// The nearest other zone with so much data: after this one, and for a random job also before it.
Decision Choice::near_with_data(std::uint32_t index, std::uint64_t min_bytes, std::uint32_t& found) {
  const auto fits = [&](std::uint32_t i) { return window_.has_zone(i) && zones_[i].data_bytes() >= min_bytes; };
  for (std::uint32_t step = 1; step <= window_.end - window_.first + 1; ++step) {
    const std::uint32_t after = index + step, before = index - step;
    const bool has = fits(after) || (rules_.random && step <= index && fits(before));
    if (!has) continue;
    found = fits(after) ? after : before;
    return zones_[found].busy_for(rules_.job) ? with(Kind::wait, found) : kFound;
  }
  return with(Kind::over);
}

Decision Choice::read(std::uint32_t index) {
  const std::uint64_t in_zone = wish_.offset - zones_[index].start;
  std::uint64_t offset = wish_.offset;
  const bool behind = !rules_.random && offset + min_bytes() > zones_[index].wp;
  if (zones_[index].data_bytes() < min_bytes() || behind) {
    if (const auto found = near_with_data(index, min_bytes(), index); found.kind != Kind::go) return found;
    if (!rules_.random) offset = zones_[index].start;
  }
  const Zone& zone = zones_[index];
  if (zone.busy_for(rules_.job)) return with(Kind::wait, index);
  const std::uint64_t data = zone.data_bytes();
  if (data <= wish_.length)
    offset = zone.start;
  else if (rules_.random)
    offset = zone.start + in_zone % (data - wish_.length) / min_bytes() * min_bytes();
  wish_.offset = offset;
  if (!zone.sequential) return with(Kind::go);
  wish_.length = whole_blocks(std::min<std::uint64_t>(wish_.length, zone.wp - offset));
  zones_.begin(index, rules_.job);
  return with(Kind::go, index);
}

Decision Choice::trim(std::uint32_t index) {
  if (rules_.random && zones_[index].data_bytes() == 0) {
    if (const auto found = near_with_data(index, 1, index); found.kind != Kind::go) return found;
    wish_.offset = zones_[index].start;
    if (!zones_[index].sequential) return with(Kind::go);
  }
  if (zones_[index].busy_for(rules_.job)) return with(Kind::wait, index);
  if (zones_[index].owner != 0 && !drained_) return with(Kind::drain);
  zones_.begin(index, rules_.job);
  return with(Kind::go, index);
}

// Whether the job may write to the zone. Makes it a target.
bool Choice::take_target(std::uint32_t index) {
  const Zone& zone = zones_[index];
  if (zone.offline()) return false;
  if (rules_.verifies && zone.room_bytes() < least_room()) return false;
  const auto& shared = zones_.shared();
  if (shared.max_targets == 0) return true;
  if (zone.target) return zone.room_bytes() != 0 || wish_.taken == index;
  if (rules_.max_targets != 0 && zones_.targets_of(rules_.job) >= rules_.max_targets) return false;
  if (shared.target_count >= shared.max_targets) return false;
  zones_.add_target(index, rules_.job);
  return true;
}

// As in fio, the offset in the window selects one of the targets.
std::uint32_t Choice::drawn_target() const {
  const auto in_window = static_cast<unsigned __int128>(wish_.offset - window_.start);
  return static_cast<std::uint32_t>(in_window * zones_.shared().target_count / window_.length);
}

// From there on, the first target in the window. False: none.
bool Choice::pick_target(std::uint32_t& index) const {
  const auto targets = zones_.targets();
  std::size_t at = drawn_target();
  for (std::size_t i = 0; i < targets.size(); ++i, ++at) {
    if (at >= targets.size()) at = 0;
    if (!window_.has_zone(targets[at])) continue;
    index = targets[at];
    return true;
  }
  return false;
}

bool Choice::short_of_block(std::uint32_t index) const {
  const std::uint64_t room = zones_[index].room_bytes();
  return room > 0 && room < least_room();
}

std::uint32_t Choice::next_sequential(std::uint32_t index) const {
  do index = index + 1 >= window_.end ? window_.first : index + 1;
  while (!zones_[index].sequential);
  return index;
}

// Room for less than a block is not written: the zone is finished, and the choice goes on with the next zone.
Decision Choice::write(std::uint32_t index) {
  if (wish_.length > zones_.shared().zone_bytes) return failed(EINVAL, "I/O buflen exceeds zone size");
  const Zone& zone = zones_[index];
  if (zone.busy_for(rules_.job)) return with(Kind::wait, index);
  if (zone.doubtful) return with(drained_ ? Kind::recover : Kind::drain, index);
  if (short_of_block(index)) {
    if (!drained_) return with(Kind::drain);
    const bool last = index + 1 >= window_.end && !rules_.random;
    wish_.zone = last ? zones_.count() : next_sequential(index);
    zones_.remove_target(index);
    return with(Kind::finish, index);
  }
  if (!take_target(index)) {
    if (const auto other = other_zone(index); other.kind != Kind::go) return other;
    wish_.offset = zones_[index].start;
    wish_.taken = index;
    if (zones_[index].doubtful || short_of_block(index)) {
      wish_.zone = index;
      return write(index);
    }
  }
  return place_write(index);
}

// The zone is full, or the limit of targets is reached.
Decision Choice::other_zone(std::uint32_t& index) {
  const bool limited = zones_.shared().max_targets != 0 || rules_.max_targets != 0;
  std::uint32_t at = limited ? zones_.shared().targets[drawn_target()] : zones_.index_of(wish_.offset);
  at = std::clamp(at, window_.first, window_.end - 1);
  const bool sequential = zones_[at].sequential;
  if (!limited && sequential && !zones_[at].offline()) {
  } else if (sequential && zones_.shared().target_count == 0) {
    index = at;
    return further_zone(index);
  } else if (!pick_target(at)) {
    return with(Kind::over);
  }
  index = at;
  if (zones_[at].room_bytes() < least_room()) return further_zone(index);
  return zones_[at].busy_for(rules_.job) ? with(Kind::wait, at) : kFound;
}

Decision Choice::further_zone(std::uint32_t& index) {
  const auto& shared = zones_.shared();
  const std::uint32_t wide = window_.end - window_.first;
  const bool at_limit = shared.target_count == wide ||
                        (shared.max_targets != 0 && shared.target_count == shared.max_targets) ||
                        (rules_.max_targets != 0 && zones_.targets_of(rules_.job) == rules_.max_targets);
  if (at_limit && !drained_) return with(Kind::drain);
  for (std::uint32_t i = 0; i < wide; ++i) {
    index = index + 1 >= window_.end ? window_.first : index + 1;
    const Zone& zone = zones_[index];
    if (!zone.sequential || zone.target) continue;
    if (!take_target(index)) continue;
    if (!zone.busy_for(rules_.job)) return kFound;
    zones_.remove_target(index);
    return with(Kind::wait, index);
  }
  return when_all_are_taken(index);
}

// No further zone may become a target: one of the targets has to do.
Decision Choice::when_all_are_taken(std::uint32_t& index) {
  for (const std::uint32_t target : zones_.targets()) {
    if (!window_.has_zone(target) || zones_[target].room_bytes() < least_room()) continue;
    index = target;
    return zones_[target].busy_for(rules_.job) ? with(Kind::wait, target) : kFound;
  }
  if (!drained_) return with(Kind::drain);
  if (zones_.shared().in_flight != 0) return with(Kind::wait);
  if (!rules_.random || rules_.verifies || !pick_target(index)) return with(Kind::over);
  return again(Kind::finish, index);
}

bool Choice::reset_is_due(std::uint32_t index) {
  Zone& zone = zones_[index];
  auto& shared = zones_.shared();
  const bool above = rules_.reset_every != 0 && shared.valid_bytes >= rules_.reset_above;
  if (above && !wish_.counted) {
    wish_.counted = true;
    if (shared.writes_to_reset == 0) shared.writes_to_reset = rules_.reset_every;
    if (--shared.writes_to_reset == 0) zone.reset_due = true;
  }
  return (zone.reset_due && zone.wp != zone.start) || zone.room_bytes() < least_room();
}

Decision Choice::place_write(std::uint32_t index) {
  Zone& zone = zones_[index];
  if (zone.capacity_bytes < least_room()) return failed(EINVAL, "zone capacity smaller than minimum block size");
  if (reset_is_due(index)) return again(drained_ ? Kind::reset : Kind::drain, index);
  zone.reset_due = false;
  if (!window_.has(zone.wp)) return failed(EINVAL, "invalid WP value");
  const std::uint64_t room = zone.room_bytes();
  wish_.offset = zone.wp;
  if (wish_.length > room) {
    const std::uint32_t whole = whole_blocks(room);
    wish_.length = whole != 0 ? whole : static_cast<std::uint32_t>(room);
  }
  zones_.begin(index, rules_.job);
  zones_.advance(index, wish_.offset + wish_.length);
  return with(Kind::go, index);
}

}  // namespace

Decision choose(ZoneSet& zones, const Rules& rules, const Window& window, Wish& wish, bool drained) {
  return Choice(zones, rules, window, wish, drained).decide();
}

}  // namespace fathom::workload::zones
