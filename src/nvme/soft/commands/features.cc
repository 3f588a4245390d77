// Get and Set Features (NVM Express Base Specification 2.0c, sections 5.15, 5.27). A table stores the mandatory
// features, and those that drivers set without a query. Some of them have an effect. Nothing is saved.
#include <algorithm>

#include "nvme/soft/state.h"

namespace fathom::nvme::soft {
namespace {

// One bit per stored feature: 01h arbitration, 02h power management, 05h error recovery, 06h write cache, 07h queues,
// 08h 09h interrupts, 0Ah write atomicity, 0Bh events, 0Fh keep alive.
constexpr std::uint32_t kKept = 1u << 0x01 | 1u << 0x02 | 1u << 0x05 | 1u << 0x06 | 1u << 0x07 | 1u << 0x08 |
                                1u << 0x09 | 1u << 0x0a | 1u << 0x0b | 1u << 0x0f;

bool known(std::uint32_t id) { return id < 32 && ((kKept >> id) & 1) != 0; }

std::uint32_t queues_result(const State& state) { return (state.io_queues - 1) | (state.io_queues - 1) << 16; }

// Grants the larger of the two requested numbers for both kinds, up to the controller's maximum.
Outcome set_queues(State& state, std::uint32_t value) {
  if ((value & 0xffff) == 0xffff || value >> 16 == 0xffff) return {kInvalidField};
  const auto exists = [](const auto& queue) { return queue != nullptr; };
  if (std::any_of(state.completion.begin() + 1, state.completion.end(), exists)) return {kCommandSequenceError};
  const std::uint32_t wish = std::max(value & 0xffff, value >> 16) + 1;
  state.io_queues = std::min(wish, state.options.io_queues_max);
  return {kSuccess, queues_result(state)};
}

// Reports that the temperature has crossed a threshold, if the host requested this event. Called when a threshold is
// set, and when the host enables the event.
void tell_temperature(State& state) {
  const auto wanted = state.features[static_cast<std::size_t>(Feature::async_event_configuration)];
  if (state.temperature.crossed() && (wanted & commands::kTemperatureWarning) != 0)
    state.events.happen(memory::kTemperatureCrossed);
}

// Dword 11 of feature 04h: the threshold, the sensor (0: the composite temperature, Fh: all), over or under.
struct TemperatureWord {
  std::uint16_t kelvin;
  std::uint32_t sensor, which;
  explicit TemperatureWord(std::uint32_t value)
      : kelvin(static_cast<std::uint16_t>(value)), sensor(value >> 16 & 0xf), which(value >> 20 & 3) {}
  std::uint16_t* in(commands::TemperatureThresholds& t) const {
    return which == 0 ? &t.over_kelvin : which == 1 ? &t.under_kelvin : nullptr;
  }
};
constexpr std::uint32_t kTemperatureThreshold = 0x04, kComposite = 0, kAllSensors = 0xf;

Outcome get_temperature(State& state, std::uint32_t value) {
  const TemperatureWord word(value);
  const auto* threshold = word.in(state.temperature);
  if (threshold == nullptr || word.sensor != kComposite) return {kInvalidField};
  return {kSuccess, *threshold | word.which << 20};
}

Outcome set_temperature(State& state, std::uint32_t value) {
  const TemperatureWord word(value);
  auto* threshold = word.in(state.temperature);
  if (threshold == nullptr || (word.sensor != kComposite && word.sensor != kAllSensors)) return {kInvalidField};
  *threshold = word.kelvin;
  tell_temperature(state);
  return {};
}

}  // namespace

Outcome get_features(State& state, const Command& command) {
  const std::uint32_t id = command.cdw10 & 0xff;
  if (id == kTemperatureThreshold) return get_temperature(state, command.cdw11);
  if (!known(id)) return {kInvalidField};
  if (id == static_cast<std::uint32_t>(Feature::number_of_queues)) return {kSuccess, queues_result(state)};
  return {kSuccess, state.features[id]};
}

Outcome set_features(State& state, const Command& command) {
  const std::uint32_t id = command.cdw10 & 0xff;
  if (command.cdw10 >> 31) return {kFeatureNotSaveable};
  if (id == kTemperatureThreshold) return set_temperature(state, command.cdw11);
  if (!known(id)) return {kInvalidField};
  if (id == static_cast<std::uint32_t>(Feature::number_of_queues)) return set_queues(state, command.cdw11);
  state.features[id] = command.cdw11;
  if (id == static_cast<std::uint32_t>(Feature::async_event_configuration)) tell_temperature(state);
  return {};
}

}  // namespace fathom::nvme::soft
