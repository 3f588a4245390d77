// Binary block traces: the files of blktrace (one per CPU), the one of `blkparse -d`, and the stream of tracefs's `blk`
// tracer. A record is struct blk_io_trace: 48 bytes in the recorder's byte order, then `pdu_len` bytes more.
// Notes of blkparse -d come first, unsorted, with absolute times; all other records are sorted, from time 0. In the
// files per CPU all times are absolute. So the first record that is no note is the start, and files are merged by time.
// Source: the kernel's include/uapi/linux/blktrace_api.h, and recordings of Linux 6.1 and 6.18.
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <unordered_map>

#include "base/text/printable.h"
#include "trace/readers/blk_events.h"
#include "trace/readers/readers.h"

namespace fathom::trace::readers {
namespace {

constexpr std::uint32_t kMagic = 0x65617400;
constexpr std::uint32_t kVersion = 7;
constexpr std::size_t kRecord_bytes = 48;
constexpr std::uint16_t kOfCgroup = 0x100;  // the record has a cgroup's id in front of its extra data
constexpr std::string_view kTracefs = "# tracer: blk\n";

template <class T>
T number_at(const char* at, bool swapped) {
  T value = 0;
  std::memcpy(&value, at, sizeof value);
  if (!swapped) return value;
  if constexpr (sizeof value == 8) return __builtin_bswap64(value);
  if constexpr (sizeof value == 4) return __builtin_bswap32(value);
  return __builtin_bswap16(value);
}

bool is_magic(const char* at, bool swapped) { return (number_at<std::uint32_t>(at, swapped) & ~0xffu) == kMagic; }

// The records of one file.
class BlkFile {
 public:
  explicit BlkFile(std::unique_ptr<Input> input) : input_(std::move(input)) {}
  // Reads the next record that is no note into record().
  base::Expected<bool> advance();
  const BlkRecord& record() const { return record_; }
  std::uint64_t records() const { return records_; }
  std::uint64_t lost() const { return lost_; }        // by sequence numbers
  std::uint64_t notices() const { return notices_; }  // of tracefs, about lost events
  const std::string& name() const { return input_->name(); }

 private:
  base::Error bad(std::string what, std::string cause = {}) const;
  base::Expected<bool> begin();
  base::Expected<bool> skip_text();
  void count_sequence(std::uint32_t cpu, std::uint32_t sequence);

  std::unique_ptr<Input> input_;
  BlkRecord record_;
  std::optional<bool> swapped_;
  std::unordered_map<std::uint32_t, std::uint32_t> sequence_;  // per CPU
  std::uint64_t records_ = 0, lost_ = 0, notices_ = 0, at_ = 0;
};

base::Error BlkFile::bad(std::string what, std::string cause) const {
  return {.what = fmt::format("record {} (byte {}): {}", records_ + 1, at_, what),
          .cause = std::move(cause),
          .place = base::SourcePlace{.file = input_->name()}};
}

void BlkFile::count_sequence(std::uint32_t cpu, std::uint32_t sequence) {
  constexpr std::size_t kMostCpus = 8192;
  if (sequence == 0 || (sequence_.size() >= kMostCpus && !sequence_.contains(cpu))) return;
  auto& last = sequence_[cpu];
  if (last != 0 && sequence > last) lost_ += sequence - last - 1;
  last = sequence;
}

// tracefs: a header in front, and a line where events were lost. True: there was text, and it is consumed.
base::Expected<bool> BlkFile::skip_text() {
  auto head = input_->peek(4);
  if (!head) return std::move(head.error());
  const bool notice = head->starts_with("CPU:");
  if (!notice && !head->starts_with("#")) return false;
  notices_ += notice ? 1 : 0;
  std::string_view line;
  return input_->next_line(line);
}

base::Expected<bool> BlkFile::begin() {
  auto text = skip_text();
  while (text && *text) text = skip_text();
  return text;
}

base::Expected<bool> BlkFile::advance() {
  for (;;) {
    if (auto text = begin(); !text) return text;
    at_ = input_->offset_bytes();
    auto bytes = input_->next_bytes(kRecord_bytes);
    if (!bytes) return std::move(bytes.error());
    if (bytes->empty()) return false;
    if (bytes->size() < kRecord_bytes)
      return bad("the file ends within it",
                 fmt::format("{} of {} bytes: the trace is cut", bytes->size(), kRecord_bytes));
    const char* at = bytes->data();
    if (!swapped_) swapped_ = !is_magic(at, false);
    const auto read32 = [&](std::size_t offset) { return number_at<std::uint32_t>(at + offset, *swapped_); };
    if (!is_magic(at, *swapped_))
      return bad("it does not begin as a record of blktrace", fmt::format("magic {:#010x}", read32(0)));
    if ((read32(0) & 0xff) != kVersion)
      return bad(fmt::format("version {}", read32(0) & 0xff), fmt::format("fathom reads version {}", kVersion));
    const auto action = read32(28);
    record_ = {.time_ns = number_at<std::uint64_t>(at + 8, *swapped_),
               .sector = number_at<std::uint64_t>(at + 16, *swapped_),
               .bytes = read32(24),
               .act = static_cast<std::uint16_t>(action & 0xffff & ~kOfCgroup),
               .flags = static_cast<std::uint16_t>(action >> 16),
               .device = read32(36),
               .task = read32(32)};
    count_sequence(read32(40), read32(4));
    const auto more = number_at<std::uint16_t>(at + 46, *swapped_);
    auto extra = input_->next_bytes(more);
    if (!extra) return std::move(extra.error());
    if (extra->size() < more)
      return bad("the file ends within it",
                 fmt::format("{} of {} bytes of extra data: the trace is cut", extra->size(), more));
    ++records_;
    if ((record_.flags & kBlkNotify) == 0) return true;
  }
}

class Blktrace final : public Reader {
 public:
  explicit Blktrace(Inputs inputs);
  base::Expected<bool> next(Event& event) override;
  const Traits& traits() const override { return traits_; }
  const std::vector<std::string>& files() const override { return events_.ledger().files(); }
  const std::vector<Skipped>& skipped() const override { return events_.ledger().skipped(); }
  std::uint64_t times_back() const override { return events_.ledger().times_back(); }
  std::vector<std::string> notes() const override;

 private:
  bool advance(std::size_t file);
  bool take();
  void check_clocks();
  void look_ahead();
  void find_siblings();

  std::vector<BlkFile> files_;
  std::vector<bool> has_record_;
  std::optional<base::Error> error_;
  BlkEvents events_{"record"};
  Traits traits_{.format = "blktrace"};
  std::string sibling_;
};

Blktrace::Blktrace(Inputs inputs) : has_record_(inputs.size()) {
  for (auto& input : inputs) files_.emplace_back(std::move(input));
  for (std::size_t i = 0; i < files_.size(); ++i) advance(i);
  check_clocks();
  look_ahead();
  find_siblings();
}

// Times of blkparse -d count from the first record, so several of its files have no common clock.
void Blktrace::check_clocks() {
  const bool several = std::count(has_record_.begin(), has_record_.end(), true) > 1;
  for (std::size_t i = 0; i < files_.size() && several && !error_; ++i)
    if (has_record_[i] && files_[i].record().time_ns == 0)
      error_ = base::Error{.what = "several files, of which this one counts time from its first record",
                           .cause = "only files that blktrace wrote, one per CPU, have a common clock",
                           .help = "name one file of blkparse -d",
                           .place = base::SourcePlace{.file = files_[i].name()}};
}

bool Blktrace::advance(std::size_t file) {
  auto more = files_[file].advance();
  if (!more && !error_) error_ = std::move(more.error());
  return has_record_[file] = more && *more;
}

// Hands the oldest record on. False: none is left, or an error ended the reading.
bool Blktrace::take() {
  if (error_) return false;
  std::size_t oldest = files_.size();
  for (std::size_t i = 0; i < files_.size(); ++i)
    if (has_record_[i] && (oldest == files_.size() || files_[i].record().time_ns < files_[oldest].record().time_ns))
      oldest = i;
  if (oldest == files_.size()) return false;
  events_.take(files_[oldest].record(), files_[oldest].records());
  advance(oldest);
  return true;
}

// Whether the trace has completions is known before the first event leaves.
void Blktrace::look_ahead() {
  constexpr int kMostRecords = 8192;
  for (int i = 0; i < kMostRecords && !events_.saw_completions(); ++i)
    if (!take()) break;
  traits_.has_responses = events_.saw_completions();
  events_.expect_completions(traits_.has_responses);
}

// One file of several that blktrace wrote is not the whole trace.
void Blktrace::find_siblings() {
  constexpr std::string_view kInfix = ".blktrace.";
  const auto& name = files_.front().name();
  const auto at = name.rfind(kInfix);
  if (files_.size() > 1 || at == std::string::npos) return;
  for (int cpu = 0; cpu < 1024 && sibling_.empty(); ++cpu) {
    struct stat file = {};
    auto other = fmt::format("{}{}{}", name.substr(0, at), kInfix, cpu);
    if (other != name && ::stat(other.c_str(), &file) == 0) sibling_ = std::move(other);
  }
}

base::Expected<bool> Blktrace::next(Event& event) {
  for (;;) {
    if (events_.pop(event, false)) return true;
    if (take()) continue;
    if (events_.pop(event, true)) return true;
    if (error_) return *error_;
    return false;
  }
}

std::vector<std::string> Blktrace::notes() const {
  std::vector<std::string> all;
  std::uint64_t lost = 0, notices = 0;
  for (const auto& file : files_) lost += file.lost(), notices += file.notices();
  if (!sibling_.empty())
    all.push_back(fmt::format("only one file of a recording was read: `{}` exists too; name `{}` to read all",
                              base::text::printable(sibling_),
                              base::text::printable(sibling_.substr(0, sibling_.rfind(".blktrace.")))));
  if (lost > 0) all.push_back(fmt::format("the sequence numbers skip {} records: the recorder lost them", lost));
  if (notices > 0) all.push_back(fmt::format("tracefs reported lost events {} times", notices));
  if (!traits_.has_responses)
    all.push_back("the trace has no completions: response times and depth are not known");
  else if (events_.without_response() > 0)
    all.push_back(fmt::format("{} I/Os have no completion in the trace", events_.without_response()));
  return all;
}

}  // namespace

bool fits_blktrace(std::string_view head) {
  if (head.starts_with(kTracefs)) return true;
  return head.size() >= 4 && (is_magic(head.data(), false) || is_magic(head.data(), true));
}

Opened open_blktrace(Inputs inputs, const OpenOptions&) {
  return std::unique_ptr<Reader>(std::make_unique<Blktrace>(std::move(inputs)));
}

}  // namespace fathom::trace::readers
