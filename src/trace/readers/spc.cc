// SPC traces (UMass Financial, WebSearch): `ASU,LBA,bytes,R or W,seconds`, further columns are optional. An LBA counts
// blocks of 512 bytes. Source: Storage Performance Council, "SPC Trace File Format Specification", revision 1.0.1.
#include "trace/readers/columns.h"
#include "trace/readers/readers.h"

namespace fathom::trace::readers {
namespace {

constexpr std::uint64_t kBlock_bytes = 512;

bool is_opcode(std::string_view s) { return s == "R" || s == "W" || s == "r" || s == "w"; }

class Spc final : public ColumnReader {
 public:
  explicit Spc(std::unique_ptr<Input> input) : ColumnReader(std::move(input)) {
    traits_ = {.format = "spc", .time_unit_ns = 1000};
  }

 private:
  base::Expected<bool> record(const Columns& c, Event& event) override;
  std::string unit_;
};

base::Expected<bool> Spc::record(const Columns& c, Event& event) {
  if (c.count < 5) return bad(line(), "a line of an SPC trace has 5 columns or more");
  std::uint64_t unit = 0, time_ns = 0;
  if (!to_number(c[0], unit)) return not_a_number(c[0], "unit");
  if (!is_opcode(c[3])) return bad(c[3], "the operation is neither R nor W");
  event.action = c[3] == "R" || c[3] == "r" ? Action::read : Action::write;
  if (!to_ns(c[4], time_ns)) return not_a_number(c[4], "time");
  auto taken = set_extent(c[1], c[2], 1, event);
  if (!taken || !*taken) return taken;
  if (event.offset_bytes > (~event.length_bytes) / kBlock_bytes) return bad(c[1], "the I/O ends beyond 2^64 bytes");
  event.offset_bytes *= kBlock_bytes;
  unit_.assign("asu").append(c[0]);
  if (!set_file(unit_, event)) return false;
  set_time(time_ns, event);  // a trace begins at 0
  return true;
}

}  // namespace

bool fits_spc(std::string_view head) {
  const Columns c(first_record(head));
  std::uint64_t number = 0;
  return c.count >= 5 && is_opcode(c[3]) && to_number(c[0], number) && to_number(c[1], number) &&
         to_number(c[2], number) && to_ns(c[4], number);
}
Opened open_spc(Inputs inputs, const OpenOptions&) {
  return std::unique_ptr<Reader>(std::make_unique<Spc>(std::move(inputs.front())));
}

}  // namespace fathom::trace::readers
