// Begin and end of a device's requests brought together: by device, sector and direction, which name a request while it
// is with the device. Pure over the events it is given; of a fixed size. Thread rule: one thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "pmu/trace/block_event.h"
#include "pmu/trace/split/target_map.h"

namespace fathom::pmu::trace {

// The stretches of a disk that belong to a file or partition; none: all of it.
class Stretches {
 public:
  Stretches() = default;
  explicit Stretches(std::vector<split::Piece> pieces);
  bool holds(std::uint64_t sector, std::uint64_t sectors) const;  // all of them

 private:
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges_;  // begin, end; rising, apart
};

struct TimedRequest {
  std::uint8_t dir = 0;  // 0 read, 1 write
  std::uint64_t start_ns = 0, ns = 0;
  std::uint64_t bytes = 0;
};

class RequestPairs {
 public:
  explicit RequestPairs(std::size_t most = 1 << 14) : most_(most) { open_.reserve(most); }
  // The end of a request whose begin was seen; nothing otherwise. rq_issue and bio_queue begin one, the others end it.
  std::optional<TimedRequest> add(const BlockEvent& event);
  // Looking stops: what is with the device now will not be seen to end. How many of them `counted` says count.
  std::uint64_t give_up(const std::function<bool(std::uint64_t start_ns)>& counted);
  // Begun again before they ended (an end was missed, or the driver gave them back), or no room for them.
  std::uint64_t lost() const { return lost_; }
  std::size_t open() const { return open_.size(); }

 private:
  struct Key {
    std::uint64_t sector;
    std::uint32_t dev;
    std::uint8_t dir;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Hash {
    std::size_t operator()(const Key& k) const {
      return static_cast<std::size_t>((k.sector ^ (std::uint64_t{k.dev} << 40) ^ k.dir) * 0x9E3779B97F4A7C15u);
    }
  };
  std::size_t most_;
  struct Begin {
    std::uint64_t ns, bytes;
  };
  std::unordered_map<Key, Begin, Hash> open_;
  std::uint64_t lost_ = 0;
};

}  // namespace fathom::pmu::trace
