// Records which write in flight uses which slot of the state.
#include "run/checks/state_keeper.h"

#include <algorithm>
#include <bit>

namespace fathom::run::checks {
namespace {

std::uint64_t end_of(const io::Request& write) { return write.offset + write.length; }

bool end_together(const io::Request& a, const io::Request& b) { return a.target == b.target && end_of(a) == end_of(b); }

}  // namespace

StateKeeper::StateKeeper(verify::state::LiveState& live)
    : live_(live),
      slots_(live.slots()),
      issued_(live.issued()),
      lists_places_(live.lists_places()),
      flying_(slots_.size()),
      buckets_(std::bit_ceil(2 * flying_.size()), kNone) {
  for (std::size_t i = flying_.size(); i > 0; --i) free_.push_back(static_cast<std::uint32_t>(i - 1));
  disordered_.reserve(live.list_room());
}

std::uint32_t& StateKeeper::bucket_of(const io::Request& write) {
  const std::uint64_t hash = (end_of(write) + write.target) * 0x9e3779b97f4a7c15;
  return buckets_[(hash >> 32) & (buckets_.size() - 1)];
}

void StateKeeper::issued(std::uint64_t number, const io::Request& write, const Versions* versions, bool overlaps) {
  if (overlaps) add_disordered(number, write, versions);
  if (number < verify::state::kFirstRequests)
    live_.note_first(number, verify::state::request_hash(write.target, write.offset, write.length));
  if (lists_places_) live_.note_place(number, write.target, write.offset);
  if (free_.empty()) {  // the end of a write was not reported
    live_.add_flag(verify::state::OwnRun::kOrderUnknown);
    issued_.store(number + 1, std::memory_order_release);
    return;
  }
  const std::uint32_t slot = free_.back();
  free_.pop_back();
  std::uint32_t& first = bucket_of(write);
  flying_[slot] = {write, number, first};
  first = slot;
  verify::state::note_issued(slots_[slot], issued_, number);
}

std::uint32_t* StateKeeper::link_to(const io::Request& ended) {
  std::uint32_t* found = nullptr;
  std::uint32_t* link = &bucket_of(ended);
  for (; *link != kNone; link = &flying_[*link].next) {
    const io::Request& write = flying_[*link].write;
    if (!end_together(write, ended) || write.offset > ended.offset) continue;
    if (write.offset == ended.offset) return link;
    found = link;
  }
  return found != nullptr ? found : link;
}

void StateKeeper::ended(const io::Request& write, bool well) {
  std::uint32_t* const link = link_to(write);
  const std::uint32_t slot = *link;
  if (slot == kNone) return;
  if (!well && !live_.add_failed(flying_[slot].number)) live_.add_flag(verify::state::OwnRun::kOrderUnknown);
  *link = flying_[slot].next;
  free_.push_back(slot);
  verify::state::note_ended(slots_[slot]);
}

// A write stays in the list while it is the last write somewhere. A later write that overlaps no write in flight
// restores the order of its range.
void StateKeeper::add_disordered(std::uint64_t number, const io::Request& write, const Versions* versions) {
  if (disordered_.size() == live_.list_room() && versions != nullptr) forget_overwritten(*versions);
  if (live_.add_disordered(number))
    disordered_.push_back({write, number});
  else
    live_.add_flag(verify::state::OwnRun::kOrderUnknown);
}

void StateKeeper::forget_overwritten(const Versions& versions) {
  const auto stands = [&](const Disordered& d) { return versions.is_last_somewhere(d.write, d.number); };
  live_.keep_disordered([&](std::uint64_t place) { return stands(disordered_[place]); });
  std::erase_if(disordered_, [&](const Disordered& d) { return !stands(d); });
}

}  // namespace fathom::run::checks
