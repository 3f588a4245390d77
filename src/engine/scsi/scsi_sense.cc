// The tables of sense codes, and the two formats.
#include "engine/scsi/scsi_sense.h"

#include <fmt/format.h>

#include <algorithm>

namespace fathom::engine::scsi {
namespace {

struct Sense {
  std::uint8_t key = 0, code = 0, qualifier = 0;
};

Sense read_sense(std::span<const std::uint8_t> bytes) {
  const auto at = [&](std::size_t i) { return i < bytes.size() ? bytes[i] : std::uint8_t{0}; };
  const bool descriptors = (at(0) & 0x7f) >= 0x72;
  if (descriptors) return {static_cast<std::uint8_t>(at(1) & 0xf), at(2), at(3)};
  return {static_cast<std::uint8_t>(at(2) & 0xf), at(12), at(13)};
}

constexpr const char* kKeys[16] = {"no sense",       "recovered error", "not ready",      "medium error",
                                   "hardware error", "illegal request", "unit attention", "data protect",
                                   "blank check",    "vendor specific", "copy aborted",   "aborted command",
                                   "reserved",       "volume overflow", "miscompare",     "completed"};

struct CodeRow {
  std::uint8_t code;
  const char* text;
};
constexpr CodeRow kCodes[] = {
    {0x04, "the device is not ready"},
    {0x0c, "the medium could not be written"},
    {0x11, "the medium could not be read"},
    {0x1d, "the data on the device differ from the data sent"},
    {0x20, "the device does not support this command: choose another sg_write_mode=, or omit trims"},
    {0x21, "the address is beyond the end of the device"},
    {0x24, "the device does not accept this length or flag: lower bs=, or omit readfua=, writefua= and sg_write_mode="},
    {0x26, "the device does not accept these parameters: lower bs= of the trims, or num_range="},
    {0x27, "the device is write-protected"},
    {0x29, "the device was reset since the last command"},
    {0x2a, "the device was changed since the last command"},
    {0x3a, "the medium is missing"},
};

}  // namespace

SenseKey sense_key(std::span<const std::uint8_t> sense) { return static_cast<SenseKey>(read_sense(sense).key); }

void say_refused(std::span<char> text, const ScsiCommand& command, const ScsiAnswer& answer) {
  if (text.empty()) return;
  const auto put = [&](fmt::string_view format, const auto&... args) {
    *fmt::vformat_to_n(text.data(), text.size() - 1, format, fmt::make_format_args(args...)).out = 0;
  };
  const unsigned operation = command.bytes[0];
  if (answer.sense.empty()) {
    if (answer.host != 0)
      return put("command {:02x} did not reach the device (host status {:#x})", operation, answer.host);
    return put("command {:02x} ended with status {:#x}, without sense data", operation, answer.status);
  }
  const Sense sense = read_sense(answer.sense);
  const auto* row = std::find_if(std::begin(kCodes), std::end(kCodes), [&](auto& r) { return r.code == sense.code; });
  const bool known = row != std::end(kCodes);
  put("command {:02x}: {} ({:02x}/{:02x}/{:02x}){}{}", operation, kKeys[sense.key], sense.key, sense.code,
      sense.qualifier, known ? ": " : "", known ? row->text : "");
}

}  // namespace fathom::engine::scsi
