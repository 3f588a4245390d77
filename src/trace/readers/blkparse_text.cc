// The text of blkparse in its default format: `%D %2c %8s %5T.%9t %5p %2a %3d`, then the sectors of the request. Times
// count from the first record. Sizes are whole sectors. The summary after the records is not read.
// Source: blkparse(1), "Default output"; blkparse_fmt.c prints no sectors where a request has no bytes.
#include <fmt/format.h>

#include "trace/readers/blk_events.h"
#include "trace/readers/readers.h"
#include "trace/text_reader.h"

namespace fathom::trace::readers {
namespace {

struct Fields {
  std::string_view device, cpu, sequence, time, task, act, flags, rest;

  explicit Fields(std::string_view line) : rest(line) {
    for (auto* field : {&device, &cpu, &sequence, &time, &task, &act, &flags}) *field = take_word(rest);
    rest = stripped(rest);
  }
  bool device_number(std::uint32_t& number) const {
    auto minor_text = device;
    const auto major_text = take(minor_text, ',');
    std::uint64_t major_number = 0, minor_number = 0;
    if (!to_number(major_text, major_number) || !to_number(minor_text, minor_number)) return false;
    number = static_cast<std::uint32_t>(major_number << 20 | (minor_number & 0xfffff));
    return major_number < 4096 && minor_number < (1u << 20);
  }
};

// `F` before the direction is a flush, after it FUA.
bool flags_of(std::string_view text, std::uint16_t& flags) {
  flags = 0;
  if (text.starts_with('F')) flags |= kBlkFlush, text.remove_prefix(1);
  if (text.empty()) return false;
  switch (text.front()) {
    case 'R':
      flags |= kBlkRead;
      break;
    case 'W':
      flags |= kBlkWrite;
      break;
    case 'D':
      flags |= kBlkWrite | kBlkDiscard;
      break;
    case 'N':
      break;
    default:
      return false;
  }
  for (const char c : text.substr(1)) {
    if (c == 'F') flags |= kBlkFua;
    if (c < 'A' || c > 'Z') return false;
  }
  return true;
}

std::uint16_t act_of(std::string_view text) {
  if (text == "Q") return kBlkQueue;
  if (text == "D") return kBlkIssue;
  return text == "C" ? kBlkComplete : 0;
}

class BlkparseText final : public TextReader {
 public:
  explicit BlkparseText(std::unique_ptr<Input> input) : TextReader(std::move(input)) {
    traits_ = {.format = "blkparse", .has_responses = true};
  }
  base::Expected<bool> next(Event& event) override;
  const std::vector<std::string>& files() const override { return events_.ledger().files(); }
  const std::vector<Skipped>& skipped() const override { return events_.ledger().skipped(); }
  std::uint64_t times_back() const override { return events_.ledger().times_back(); }
  std::vector<std::string> notes() const override;

 private:
  base::Expected<bool> parse(std::string_view line, Event& event) override;
  base::Expected<bool> finish(Event& event) override { return events_.pop(event, true); }

  BlkEvents events_{"line"};
  bool is_summary_ = false;
};

base::Expected<bool> BlkparseText::next(Event& event) {
  if (events_.pop(event, false)) return true;
  return TextReader::next(event);
}

base::Expected<bool> BlkparseText::parse(std::string_view text, Event& event) {
  is_summary_ = is_summary_ || text.starts_with("CPU");
  if (is_summary_ || stripped(text).empty() || text.starts_with("Input file ")) return false;
  const Fields fields(text);
  BlkRecord record;
  std::uint64_t task = 0;
  if (!fields.device_number(record.device))
    return bad(fields.device, fmt::format("`{}` is not a device (MAJOR,MINOR)", fields.device));
  if (!to_ns(fields.time, record.time_ns))
    return bad(fields.time, fmt::format("`{}` is not a time in seconds", fields.time));
  if (!to_number(fields.task, task)) return bad(fields.task, fmt::format("`{}` is not a process", fields.task));
  record.task = static_cast<std::uint32_t>(task);
  record.act = act_of(fields.act);
  if (record.act == 0) return false;  // another stage of a request, a message, a timer
  if (!flags_of(fields.flags, record.flags))
    return bad(fields.flags, fmt::format("`{}` is not a direction", fields.flags));
  auto rest = fields.rest;
  std::uint64_t sectors = 0;
  if (const auto sector = take_word(rest); to_number(sector, record.sector) && take_word(rest) == "+") {
    const auto count = take_word(rest);
    if (!to_number(count, sectors) || sectors > 0xffffffff / kSector_bytes)
      return bad(count, fmt::format("`{}` is not a number of sectors", count));
  }
  record.bytes = static_cast<std::uint32_t>(sectors * kSector_bytes);
  events_.take(record, line_number());
  return events_.pop(event, false);
}

std::vector<std::string> BlkparseText::notes() const {
  auto all = TextReader::notes();
  if (events_.without_response() > 0)
    all.push_back(fmt::format("{} I/Os have no completion in the trace", events_.without_response()));
  return all;
}

}  // namespace

bool fits_blkparse_text(std::string_view head) {
  auto line = take(head, '\n');
  while (line.starts_with("Input file ")) line = take(head, '\n');
  const Fields fields(line);
  std::uint32_t device = 0;
  std::uint64_t number = 0;
  return fields.device_number(device) && to_number(fields.cpu, number) && to_number(fields.sequence, number) &&
         to_ns(fields.time, number) && to_number(fields.task, number) && !fields.act.empty();
}
Opened open_blkparse_text(Inputs inputs, const OpenOptions&) {
  return std::unique_ptr<Reader>(std::make_unique<BlkparseText>(std::move(inputs.front())));
}

}  // namespace fathom::trace::readers
