// Matches events with requests.
#include "nvme/soft/memory/events.h"

#include <algorithm>

namespace fathom::nvme::soft::memory {

bool Events::lend(std::uint16_t cid) {
  if (requests_.size() >= kRequestsMax) return false;
  requests_.push_back(cid);
  return true;
}

bool Events::take_back(std::uint16_t cid) {
  const auto found = std::find(requests_.begin(), requests_.end(), cid);
  if (found == requests_.end()) return false;
  requests_.erase(found);
  return true;
}

void Events::happen(const Event& event) {
  const auto same = [&](const Event& e) { return e.result() == event.result(); };
  if (std::none_of(happened_.begin(), happened_.end(), same)) happened_.push_back(event);
}

void Events::unmask(std::uint8_t log_page) {
  if (log_page == kInvalidDoorbellValue.log_page) masked_ &= ~(1u << static_cast<unsigned>(EventType::error));
  if (log_page == kTemperatureCrossed.log_page) masked_ &= ~(1u << static_cast<unsigned>(EventType::health));
  if (log_page == kNamespaceChanged.log_page) masked_ &= ~(1u << static_cast<unsigned>(EventType::notice));
}

std::optional<Events::Answer> Events::answer() {
  if (requests_.empty()) return {};
  const auto next = std::find_if(happened_.begin(), happened_.end(), [&](const Event& e) { return !masked(e.type); });
  if (next == happened_.end()) return {};
  const Answer answer{requests_.front(), *next};
  requests_.erase(requests_.begin());
  happened_.erase(next);
  masked_ |= 1u << static_cast<unsigned>(answer.event.type);
  return answer;
}

void Events::clear() {
  requests_.clear();
  happened_.clear();
  masked_ = 0;
}

}  // namespace fathom::nvme::soft::memory
