// rw=mode[:N]. N has two meanings in fio. For random modes, it is the number of I/Os between two random offsets. For
// sequential modes, it is the number of bytes to skip after each I/O (negative: backwards).
#include "job/values/rw.h"

#include <fmt/format.h>

#include "base/text/parse.h"

namespace fathom::job::values {
namespace {

struct RwMode {
  std::string_view name;  // canonical
  io::Mode mode;
};

constexpr io::Mode mode(bool reads, bool writes, bool trims, bool random) {
  io::Mode m;
  m.reads = reads;
  m.writes = writes;
  m.trims = trims;
  m.random = random;
  m.trim_then_write = writes && trims;
  return m;
}

// Indexed by the choice's value.
constexpr RwMode kModes[] = {
    {"read", mode(true, false, false, false)},     {"write", mode(false, true, false, false)},
    {"trim", mode(false, false, true, false)},     {"randread", mode(true, false, false, true)},
    {"randwrite", mode(false, true, false, true)}, {"randtrim", mode(false, false, true, true)},
    {"rw", mode(true, true, false, false)},        {"randrw", mode(true, true, false, true)},
    {"trimwrite", mode(false, true, true, false)}, {"randtrimwrite", mode(false, true, true, true)},
};

Outcome read_sequence(const Value& value, io::Mode& m) {
  const auto text = value.text;
  const bool negative = !m.random && !text.empty() && text.front() == '-';
  std::uint64_t n = 0;
  if (auto problem = read_bytes(value.part(negative ? text.substr(1) : text), n)) {
    problem->what = "not a sequencer";
    problem->help = m.random ? "write the number of I/Os between two random offsets: `rw=randread:8`"
                             : "write the bytes to skip after each I/O: `rw=read:4k`";
    return problem;
  }
  const std::uint64_t limit = m.random ? kMaxU32 : static_cast<std::uint64_t>(INT64_MAX);
  if (n > limit || (m.random && n == 0))
    return wrong("out of range", fmt::format("the number after `:` is between {} and {}", m.random ? 1 : 0, limit),
                 "write for example `rw=randread:8`", text);
  if (m.random)
    m.sequence = static_cast<std::uint32_t>(n);
  else
    m.sequential_add = negative ? -static_cast<std::int64_t>(n) : static_cast<std::int64_t>(n);
  return {};
}

}  // namespace

Outcome read_rw(Job& job, const Value& value) {
  const auto text = value.text;
  const std::size_t colon = text.find(':');
  int which = 0;
  if (auto problem = read_choice(value.part(base::text::trim(text.substr(0, colon))), which)) return problem;
  io::Mode m = kModes[which].mode;
  if (colon != std::string_view::npos && colon + 1 < text.size())
    if (auto problem = read_sequence(value.part(base::text::trim(text.substr(colon + 1))), m)) return problem;
  job.mode = m;
  job.rw_name = kModes[which].name;
  return {};
}

}  // namespace fathom::job::values
