// One I/O with the timestamps of its worker, for a reader outside the loop. Written only with --debug=io.
#pragma once
#include <cstdint>

namespace fathom::result {

struct IoStamp {
  std::uint64_t start_ticks;  // before the submitting call, by the job's clock
  std::uint64_t reap_ticks;   // when the program had the completion
  std::uint64_t offset;       // bytes, within the target
  std::uint32_t length;       // bytes
  std::uint16_t target;       // index among the job's targets
  std::uint8_t dir;           // io::Dir
  std::uint8_t job;           // low byte of the job's number, as a check
};
static_assert(sizeof(IoStamp) == 32);

}  // namespace fathom::result
