// Lines of biosnoop (bcc and libbpf-tools): `TIME(s) COMM PID DISK T SECTOR BYTES [P] [QUE(ms)] LAT(ms)`. A line is
// printed when the I/O completes, and TIME is that time: the submission is LAT before, and with QUE (-Q) also the time in
// the queue. A command name may contain blanks, so a line is read from its right end. The header tells which columns
// exist. bcc prints no blank after BYTES, which has seven places: "1048576S    0.52" with P (-P), and "10485761234.56" for
// a millisecond column of four digits.
// Source: bcc 0.26, biosnoop-bpfcc; libbpf-tools 0.26, biosnoop.
#include <fmt/format.h>

#include <algorithm>

#include "trace/readers/readers.h"
#include "trace/reorder.h"
#include "trace/text_reader.h"

namespace fathom::trace::readers {
namespace {

constexpr std::uint64_t kSectorOfBiosnoop_bytes = 512, kMillisecondsPerSecond = 1000;
constexpr std::uint64_t kBefore_ns = std::uint64_t{1} << 50;  // so that no submission is before time 0

constexpr std::size_t kPlacesOfBytes = 7, kPlacesOfMilliseconds = 4;  // before the decimal point

struct Layout {
  bool has_queue = false, has_pattern = false;
};

std::string_view last_word(std::string_view& rest) {
  rest = stripped(rest);
  const auto blank = rest.find_last_of(" \t");
  const auto word = blank == std::string_view::npos ? rest : rest.substr(blank + 1);
  rest.remove_suffix(word.size());
  return word;
}

// BYTES and the column of milliseconds behind it, if no blank is between them. `column` keeps the milliseconds.
std::string_view take_joined_bytes(std::string_view& column) {
  if (column.find('.') == std::string_view::npos || column.find('.') < kPlacesOfBytes + kPlacesOfMilliseconds)
    return {};
  const auto bytes = column.substr(0, kPlacesOfBytes);
  column.remove_prefix(kPlacesOfBytes);
  return bytes;
}

// BYTES, with the pattern behind it: a letter of its own, or the last character.
std::string_view bytes_and_pattern(std::string_view& rest) {
  auto word = last_word(rest);
  if (word.size() == 1) return last_word(rest);
  word.remove_suffix(std::min<std::size_t>(1, word.size()));
  return word;
}

bool is_header(std::string_view line) {
  return line.starts_with("TIME(s)") && line.find("SECTOR") != std::string_view::npos &&
         line.find("LAT(ms)") != std::string_view::npos;
}

class Biosnoop final : public TextReader {
 public:
  explicit Biosnoop(std::unique_ptr<Input> input) : TextReader(std::move(input)) {
    traits_ = {.format = "biosnoop", .has_responses = true, .time_unit_ns = 10'000, .names_files = false};
  }
  std::vector<std::string> notes() const override;

 private:
  base::Expected<bool> parse(std::string_view line, Event& event) override;
  base::Expected<bool> finish(Event& event) override;
  base::Expected<bool> record(std::string_view line, Event& event);
  bool hand_out(Event& event);

  Layout layout_;
  Reorder order_;
};

bool Biosnoop::hand_out(Event& event) {
  event = order_.pop();
  ledger_.time(event.time_ns);
  return true;
}

base::Expected<bool> Biosnoop::finish(Event& event) {
  if (order_.empty()) return false;
  return hand_out(event);
}

base::Expected<bool> Biosnoop::parse(std::string_view line, Event& event) {
  line = stripped(line);
  if (line.empty()) return false;
  if (is_header(line)) {
    layout_.has_queue = line.find("QUE(ms)") != std::string_view::npos;
    layout_.has_pattern = line.find(" P ") != std::string_view::npos;
    return false;
  }
  auto taken = record(line, event);
  if (!taken || !*taken) return taken;
  order_.push(event);
  return order_.is_full() ? hand_out(event) : false;
}

base::Expected<bool> Biosnoop::record(std::string_view line, Event& event) {
  auto rest = line;
  auto latency = last_word(rest), queue = layout_.has_queue ? last_word(rest) : std::string_view();
  auto bytes = layout_.has_pattern ? std::string_view() : take_joined_bytes(layout_.has_queue ? queue : latency);
  if (bytes.empty()) bytes = layout_.has_pattern ? bytes_and_pattern(rest) : last_word(rest);
  const auto sector = last_word(rest), type = last_word(rest), disk = last_word(rest);
  const auto task = last_word(rest);
  const auto time = take_word(rest);
  std::uint64_t time_ns = 0, latency_ns = 0, queue_ns = 0, number = 0;
  if (!to_ns(time, time_ns)) return bad(time, fmt::format("`{}` is not a time in seconds", time));
  if (!to_ns(latency, latency_ns)) return bad(latency, fmt::format("latency `{}` is not a number of ms", latency));
  if (!queue.empty() && !to_ns(queue, queue_ns)) return bad(queue, fmt::format("`{}` is not a number of ms", queue));
  if (!to_number(bytes, event.length_bytes)) return bad(bytes, fmt::format("size `{}` is not a number", bytes));
  if (type.empty() || disk.empty()) return bad(line, "a column is missing");
  event.task = to_number(task, number) ? static_cast<std::uint32_t>(number) : 0;
  const bool has_data = event.length_bytes > 0;
  if (type.find('D') != std::string_view::npos) {
    event.action = Action::trim;
  } else if (type.starts_with('F') && !has_data) {
    event.action = Action::sync;
  } else if (type.find('W') != std::string_view::npos) {
    event.action = Action::write;
  } else if (type.find('R') == std::string_view::npos) {
    return skip("neither read, write, discard nor flush"), false;
  }
  if (event.action != Action::sync) {
    if (!has_data) return skip(kZeroLength), false;
    if (!to_number(sector, number) || number > (~event.length_bytes) / kSectorOfBiosnoop_bytes)
      return bad(sector, fmt::format("sector `{}` is not one", sector));
    event.offset_bytes = number * kSectorOfBiosnoop_bytes;
  }
  // to_ns() read seconds; the columns are milliseconds.
  event.response_ns = latency_ns / kMillisecondsPerSecond + queue_ns / kMillisecondsPerSecond;
  if (event.response_ns > kBefore_ns || time_ns > ~kBefore_ns)
    return bad(latency, "the latency is longer than 13 days");
  event.time_ns = kBefore_ns + time_ns - event.response_ns;
  return set_file(disk, event);
}

std::vector<std::string> Biosnoop::notes() const {
  auto all = TextReader::notes();
  all.emplace_back("submission times are completion time less latency: exact to the printed digits of both");
  return all;
}

}  // namespace

// The header, or a line with its columns.
bool fits_biosnoop(std::string_view head) {
  auto line = take(head, '\n');
  if (line.ends_with('\r')) line.remove_suffix(1);
  line = stripped(line);
  if (is_header(line)) return true;
  auto rest = line;
  const auto latency = last_word(rest), bytes = last_word(rest), sector = last_word(rest), type = last_word(rest);
  const auto disk = last_word(rest), task = last_word(rest), time = take_word(rest);
  std::uint64_t number = 0;
  return to_ns(latency, number) && latency.find('.') != std::string_view::npos && to_number(bytes, number) &&
         to_number(sector, number) && type.find_first_of("RWDF") == 0 && !disk.empty() && to_number(task, number) &&
         to_ns(time, number) && time.find('.') != std::string_view::npos;
}
Opened open_biosnoop(Inputs inputs, const OpenOptions&) {
  return std::unique_ptr<Reader>(std::make_unique<Biosnoop>(std::move(inputs.front())));
}

}  // namespace fathom::trace::readers
