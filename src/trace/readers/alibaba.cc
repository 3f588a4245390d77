// Alibaba block traces (2020): `device_id,opcode,offset,length,timestamp`: R or W, bytes, microseconds since 1970.
// Source: the README of github.com/alibaba/block-traces (IISWC 2020).
#include "trace/readers/columns.h"
#include "trace/readers/readers.h"

namespace fathom::trace::readers {
namespace {

constexpr std::uint64_t kTickOfAlibaba_ns = 1000;

bool is_opcode_of_alibaba(std::string_view s) { return s == "R" || s == "W"; }

class Alibaba final : public ColumnReader {
 public:
  explicit Alibaba(std::unique_ptr<Input> input) : ColumnReader(std::move(input)) {
    traits_ = {.format = "alibaba", .time_unit_ns = kTickOfAlibaba_ns};
  }

 private:
  base::Expected<bool> record(const Columns& c, Event& event) override;
  std::string device_;
};

base::Expected<bool> Alibaba::record(const Columns& c, Event& event) {
  if (c.count != 5) return bad(line(), "a line of an Alibaba trace has 5 columns");
  std::uint64_t device = 0, time_us = 0;
  if (!to_number(c[0], device)) return not_a_number(c[0], "device");
  if (!is_opcode_of_alibaba(c[1])) return bad(c[1], "the operation is neither R nor W");
  event.action = c[1] == "R" ? Action::read : Action::write;
  if (!to_number(c[4], time_us) || time_us > ~std::uint64_t{0} / kTickOfAlibaba_ns) return not_a_number(c[4], "time");
  auto taken = set_extent(c[2], c[3], 1, event);
  if (!taken || !*taken) return taken;
  device_.assign("device").append(c[0]);
  if (!set_file(device_, event)) return false;
  set_clock(time_us * kTickOfAlibaba_ns, event);
  return true;
}

}  // namespace

bool fits_alibaba(std::string_view head) {
  const Columns c(first_record(head));
  std::uint64_t number = 0;
  return c.count == 5 && is_opcode_of_alibaba(c[1]) && to_number(c[0], number) && to_number(c[2], number) &&
         to_number(c[3], number) && to_number(c[4], number);
}
Opened open_alibaba(Inputs inputs, const OpenOptions&) {
  return std::unique_ptr<Reader>(std::make_unique<Alibaba>(std::move(inputs.front())));
}

}  // namespace fathom::trace::readers
