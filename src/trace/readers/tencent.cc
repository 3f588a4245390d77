// Tencent block storage traces (2018): `Timestamp,Offset,Size,IOType,VolumeID`: seconds since 1970, sectors of 512
// bytes, 0 for a read and 1 for a write. Many I/Os share a second: their order within it is that of the lines.
// Source: the README of the traces, SNIA IOTTA repository, "Tencent Block Storage Traces" (ATC 2020).
#include <fmt/format.h>

#include "trace/readers/columns.h"
#include "trace/readers/readers.h"

namespace fathom::trace::readers {
namespace {

constexpr std::uint64_t kSecond_ns = 1'000'000'000, kSectorOfTencent_bytes = 512;

class Tencent final : public ColumnReader {
 public:
  explicit Tencent(std::unique_ptr<Input> input) : ColumnReader(std::move(input)) {
    traits_ = {.format = "tencent", .time_unit_ns = kSecond_ns};
  }
  std::vector<std::string> notes() const override;

 private:
  base::Expected<bool> record(const Columns& c, Event& event) override;
  std::string volume_;
};

base::Expected<bool> Tencent::record(const Columns& c, Event& event) {
  if (c.count != 5) return bad(line(), "a line of a Tencent trace has 5 columns");
  std::uint64_t volume = 0, time_s = 0;
  if (!to_number(c[0], time_s) || time_s > ~std::uint64_t{0} / kSecond_ns) return not_a_number(c[0], "time");
  if (c[3] != "0" && c[3] != "1") return bad(c[3], "the operation is neither 0 (read) nor 1 (write)");
  event.action = c[3] == "0" ? Action::read : Action::write;
  if (!to_number(c[4], volume)) return not_a_number(c[4], "volume");
  auto taken = set_extent(c[1], c[2], kSectorOfTencent_bytes, event);
  if (!taken || !*taken) return taken;
  volume_.assign("volume").append(c[4]);
  if (!set_file(volume_, event)) return false;
  set_clock(time_s * kSecond_ns, event);
  return true;
}

std::vector<std::string> Tencent::notes() const {
  auto all = ColumnReader::notes();
  all.emplace_back("times are whole seconds: all I/Os of a second are due at once");
  return all;
}

}  // namespace

bool fits_tencent(std::string_view head) {
  const Columns c(first_record(head));
  std::uint64_t number = 0;
  return c.count == 5 && (c[3] == "0" || c[3] == "1") && to_number(c[0], number) && to_number(c[1], number) &&
         to_number(c[2], number) && to_number(c[4], number);
}
Opened open_tencent(Inputs inputs, const OpenOptions&) {
  return std::unique_ptr<Reader>(std::make_unique<Tencent>(std::move(inputs.front())));
}

}  // namespace fathom::trace::readers
