// Asynchronous events (NVM Express Base Specification 2.0c, section 5.2): outstanding requests of the host, events
// that occurred, and masked types. A type is masked until the host reads the log page with the details.
// Thread rule: one thread.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

namespace fathom::nvme::soft::memory {

enum class EventType : std::uint8_t { error = 0, health = 1, notice = 2 };

struct Event {
  EventType type;
  std::uint8_t information;
  std::uint8_t log_page;
  std::uint32_t result() const { return static_cast<std::uint32_t>(type) | information << 8u | log_page << 16u; }
};

inline constexpr Event kInvalidDoorbellRegister{EventType::error, 0x00, 0x01};
inline constexpr Event kInvalidDoorbellValue{EventType::error, 0x01, 0x01};
inline constexpr Event kTemperatureCrossed{EventType::health, 0x01, 0x02};
inline constexpr Event kNamespaceChanged{EventType::notice, 0x00, 0x04};
inline constexpr std::uint32_t kNamespaceNotices = 1u << 8;  // OAES, and the same bit of feature 0Bh

class Events {
 public:
  static constexpr std::size_t kRequestsMax = 4;
  bool lend(std::uint16_t cid);        // false: kRequestsMax are outstanding already
  bool take_back(std::uint16_t cid);   // an abort; false: no such request
  void happen(const Event& event);     // ignored if one of the same kind is already waiting
  void unmask(std::uint8_t log_page);  // call when the log page was read without "retain"
  struct Answer {
    std::uint16_t cid;
    Event event;
  };
  // The next completion that can be posted. It consumes its request and masks its type.
  std::optional<Answer> answer();
  bool waiting() const { return !happened_.empty() && !requests_.empty(); }
  void clear();

 private:
  bool masked(EventType type) const { return (masked_ >> static_cast<unsigned>(type)) & 1; }
  std::vector<std::uint16_t> requests_;
  std::vector<Event> happened_;
  unsigned masked_ = 0;
};

}  // namespace fathom::nvme::soft::memory
