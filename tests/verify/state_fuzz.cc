// libFuzzer: any bytes as a state file, first as they are, then as a payload with a right header, which random bytes
// would never have. What is read takes no more memory than the file, answers for any write, and comes back from what
// is written of it.
#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "verify/state/state_standing.h"
#include "verify/state_support.h"

namespace {

using namespace fathom::verify;

void demand(bool true_always) {
  if (!true_always) std::abort();
}

void takes_no_more_than(const fathom::verify::state::State& state, std::size_t file_bytes) {
  demand(state.completed.capacity() * sizeof(fathom::verify::state::CompletedWrite) +
             state.slots.capacity() * sizeof(std::uint64_t) <=
         file_bytes);
  demand(state.job_name.size() <= fathom::verify::state::kNameBytes);
}

void comes_back(fathom::verify::state::State state) {
  if (state.version != fathom::verify::state::kStateOfFio333 && state.version != fathom::verify::state::kStateOfFio342)
    return;
  state.job_name.resize(
      std::min(state.job_name.size(), fathom::verify::state::kNameBytes - 1));  // one without an end is cut
  const auto file = fathom::verify::state::format_state(state);
  demand(file.ok());
  demand(*fathom::verify::state::parse_state(*file) == state);
}

void answers(const fathom::verify::state::State& state) {
  const fathom::verify::state::Standings standings(state, 4);
  for (const std::uint64_t back : {0, 1, 2, 100}) {
    const std::uint64_t number = state.writes_issued - back;
    const fathom::verify::state::AskedWrite write{number, 0, number * 4096};
    const fathom::verify::state::Standing standing = standings.of(write);
    demand((standing == fathom::verify::state::Standing::not_issued) == (number >= state.writes_issued));
    if (!standings.stop_text(write).empty()) demand(!fathom::verify::state::is_read_back(standing));
  }
}

void look_at(const std::vector<std::byte>& file) {
  const auto state = fathom::verify::state::parse_state(file);
  if (!state) return demand(!state.error().what.empty() && !state.error().cause.empty());
  takes_no_more_than(*state, file.size());
  comes_back(*state);
  answers(*state);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto* bytes = reinterpret_cast<const std::byte*>(data);
  const std::vector<std::byte> file(bytes, bytes + size);
  look_at(file);
  if (size < fathom::verify::state::StateHeader::kBytes) return 0;
  for (const std::uint64_t version : {3, 4, 5, 7})
    look_at(testing::with_header(version, {file.begin() + fathom::verify::state::StateHeader::kBytes, file.end()}));
  return 0;
}
