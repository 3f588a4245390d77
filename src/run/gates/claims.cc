// Implements the table of claims and its lock.
#include "run/gates/claims.h"

#include <functional>
#include <string>

namespace fathom::run::gates {

bool may_be_granted(std::span<const Claim> all, std::size_t of) {
  const Claim& own = all[of];
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Claim& other = all[i];
    if (i == of || other.ticket == 0 || !in_each_others_way(own, other)) continue;
    if (other.granted || other.ticket < own.ticket) return false;
  }
  return true;
}

Claims::Claims(std::size_t places) : head_(places == 0 ? 0 : 1), places_(places) {
  if (places != 0) head_[0].lock.make();
}

bool Claims::ask(std::size_t place, const Claim& what) {
  const Locked locked(head_[0].lock);
  Claim& own = places_[place];
  if (own.granted) return true;
  const std::uint64_t ticket = own.ticket != 0 ? own.ticket : ++head_[0].tickets;
  own = what;
  own.ticket = ticket;
  own.granted = false;
  return own.granted = may_be_granted(places_.all(), place);
}

void Claims::give_back(std::size_t place) {
  {
    const Locked locked(head_[0].lock);
    if (places_[place].ticket == 0) return;
    places_[place] = {};
  }
  head_[0].bell.ring();
}

// As in fio, files are distinguished by their names.
ClaimGate::ClaimGate(Claims& claims, std::size_t place, const job::fields::Submit& submit,
                     std::span<const io::Target> targets, std::uint32_t job_index)
    : claims_(&claims), place_(place), lock_(submit.lock) {
  for (const auto& target : targets) {
    const bool named = target.kind != io::TargetKind::none;
    files_.push_back(std::hash<std::string>()(named ? target.path : "job " + std::to_string(job_index)));
  }
}

Admission ClaimGate::enter(io::Request& request) {
  if (claims_ == nullptr) return Admission::go;
  Claim what{0, files_[request.target], 0, ~std::uint64_t{0}, false, false};
  if (lock_ == job::fields::FileLock::none) {
    what.begin = request.offset;
    what.end = request.offset + request.length;
  } else {
    what.shared = lock_ == job::fields::FileLock::readwrite && request.dir == io::Dir::read;
  }
  seen_ = claims_->changes();
  asked_ = true;
  return claims_->ask(place_, what) ? Admission::go : Admission::wait;
}

void ClaimGate::wait() {
  if (claims_ != nullptr) claims_->wait_for_change(seen_);
}

void ClaimGate::leave() {
  if (!asked_) return;
  asked_ = false;
  claims_->give_back(place_);
}

}  // namespace fathom::run::gates
