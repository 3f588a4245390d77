// MSR Cambridge traces: `Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime`. Timestamp is when the I/O was
// issued, and ResponseTime how long it took, both in 100 ns ("Windows filetime"). Type is Read or Write; offset and
// size are bytes. Source: the README of the traces, SNIA IOTTA repository, "MSR Cambridge Traces" (FAST 2008).
#include "trace/readers/columns.h"
#include "trace/readers/readers.h"

namespace fathom::trace::readers {
namespace {

constexpr std::uint64_t kTick_ns = 100;
constexpr std::uint64_t kMostTicks = ~std::uint64_t{0} / kTick_ns;

class Msr final : public ColumnReader {
 public:
  explicit Msr(std::unique_ptr<Input> input) : ColumnReader(std::move(input)) {
    traits_ = {.format = "msr", .has_responses = true, .time_unit_ns = kTick_ns};
  }

 private:
  base::Expected<bool> record(const Columns& c, Event& event) override;
  std::uint64_t first_ticks_ = kNotKnown;
  std::string disk_;
};

bool is_type(std::string_view type) { return type == "Read" || type == "Write"; }

base::Expected<bool> Msr::record(const Columns& c, Event& event) {
  if (c.count != 7) return bad(line(), "a line of an MSR trace has 7 columns");
  std::uint64_t ticks = 0, response = 0;
  if (!to_number(c[0], ticks)) return not_a_number(c[0], "time");
  if (!is_type(c[3])) return bad(c[3], "the type is neither Read nor Write");
  event.action = c[3] == "Read" ? Action::read : Action::write;
  auto taken = set_extent(c[4], c[5], 1, event);
  if (!taken || !*taken) return taken;
  if (!to_number(c[6], response)) return not_a_number(c[6], "response time");
  if (response > kMostTicks) return bad(c[6], "the response time is longer than 2^64 ns");
  event.response_ns = response * kTick_ns;
  if (first_ticks_ == kNotKnown) first_ticks_ = ticks;
  // Ticks since 1601 do not fit into 64 bits as ns; those since the first one do.
  if (ticks > first_ticks_ && ticks - first_ticks_ > kMostTicks) return bad(c[0], "the trace is longer than 2^64 ns");
  disk_.assign(c[1]).append(1, '.').append(c[2]);
  if (!set_file(disk_, event)) return false;
  set_time(ticks > first_ticks_ ? (ticks - first_ticks_) * kTick_ns : 0, event);
  return true;
}

}  // namespace

bool fits_msr(std::string_view head) {
  const Columns c(first_record(head));
  std::uint64_t number = 0;
  return c.count == 7 && is_type(c[3]) && to_number(c[0], number) && to_number(c[4], number);
}
Opened open_msr(Inputs inputs, const OpenOptions&) {
  return std::unique_ptr<Reader>(std::make_unique<Msr>(std::move(inputs.front())));
}

}  // namespace fathom::trace::readers
