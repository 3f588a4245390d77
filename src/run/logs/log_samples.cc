// Encodes and decodes samples.
#include "run/logs/log_samples.h"

#include <fmt/format.h>
#include <zlib.h>

#include <cstdint>
#include <cstring>
#include <optional>

namespace fathom::run::logs {
namespace {

constexpr std::uint32_t kOffset = 0x80000000, kWholePrio = 0x40000000, kMaximum = 0x20000000, kIssueTime = 0x10000000;
constexpr std::uint32_t kFlags = kOffset | kWholePrio | kMaximum | kIssueTime;
constexpr std::size_t kFixedBytes = 40;

template <class T>
void put(std::string& raw, T value) {
  raw.append(reinterpret_cast<const char*>(&value), sizeof value);
}
template <class T>
T get(std::string_view& raw) {
  T value;
  std::memcpy(&value, raw.data(), sizeof value);
  raw.remove_prefix(sizeof value);
  return value;
}

base::Error not_a_log(std::string cause) {
  base::Error e;
  e.what = "not a compressed log";
  e.cause = std::move(cause);
  e.help = "name a file that log_store_compressed=1 created";
  return e;
}

// Removes one sample from the front. False: the data end inside a sample, or are not a sample.
bool take_sample(std::string_view& raw, std::string& text) {
  if (raw.size() < kFixedBytes) return false;
  LogLine line;
  line.ms = get<std::uint64_t>(raw);
  line.value = get<std::uint64_t>(raw);
  line.maximum = get<std::uint64_t>(raw);
  const auto dir = get<std::uint32_t>(raw);
  line.prio = get<std::uint16_t>(raw);
  get<std::uint16_t>(raw);
  line.length_bytes = get<std::uint64_t>(raw);
  const LogColumns columns{(dir & kMaximum) != 0, (dir & kOffset) != 0, (dir & kWholePrio) != 0,
                           (dir & kIssueTime) != 0};
  if ((dir & ~kFlags) >= io::kDataDirs) return false;
  line.dir = static_cast<io::Dir>(dir & ~kFlags);
  for (auto [wanted, into] : {std::pair{columns.offset, &line.offset_bytes}, {columns.issue_time, &line.issue_ns}}) {
    if (!wanted) continue;
    if (raw.size() < sizeof(std::uint64_t)) return false;
    *into = get<std::uint64_t>(raw);
  }
  append_line(line, columns, text);
  return true;
}

// Removes one zlib stream from the front. Empty: the stream is invalid or truncated.
std::optional<std::string> take_stream(std::string_view& stored) {
  z_stream z{};
  if (::inflateInit(&z) != Z_OK) return std::nullopt;
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(stored.data()));
  z.avail_in = static_cast<uInt>(std::min<std::size_t>(stored.size(), 1u << 30));
  std::string raw;
  char part[65536];
  int status = Z_OK;
  while (status == Z_OK) {
    z.next_out = reinterpret_cast<Bytef*>(part);
    z.avail_out = sizeof part;
    status = ::inflate(&z, Z_NO_FLUSH);
    raw.append(part, sizeof part - z.avail_out);
  }
  stored.remove_prefix(z.total_in);
  ::inflateEnd(&z);
  if (status != Z_STREAM_END) return std::nullopt;
  return raw;
}

}  // namespace

void append_sample(const LogLine& line, const LogColumns& columns, std::string& raw) {
  put(raw, line.ms);
  put(raw, line.value);
  put(raw, columns.maximum ? line.maximum : std::uint64_t{0});
  put(raw, static_cast<std::uint32_t>(io::index(line.dir)) | (columns.maximum ? kMaximum : 0) |
               (columns.offset ? kOffset : 0) | (columns.whole_prio ? kWholePrio : 0) |
               (columns.issue_time ? kIssueTime : 0));
  put(raw, line.prio);
  put(raw, std::uint16_t{0});
  put(raw, line.length_bytes);
  if (columns.offset) put(raw, line.offset_bytes);
  if (columns.issue_time) put(raw, line.issue_ns);
}

std::string deflate_samples(const std::string& raw) {
  std::string stream(::compressBound(raw.size()), '\0');
  uLongf size = stream.size();
  ::compress2(reinterpret_cast<Bytef*>(stream.data()), &size, reinterpret_cast<const Bytef*>(raw.data()), raw.size(),
              Z_DEFAULT_COMPRESSION);
  stream.resize(size);
  return stream;
}

base::Expected<std::string> inflate_log(std::string_view stored) {
  std::string text;
  const std::size_t whole = stored.size();
  while (!stored.empty()) {
    const std::size_t at = whole - stored.size();
    const auto raw = take_stream(stored);
    if (!raw) return not_a_log(fmt::format("the stream that begins at byte {} is damaged or truncated", at));
    for (std::string_view left = *raw; !left.empty();)
      if (!take_sample(left, text))
        return not_a_log(fmt::format("the stream that begins at byte {} contains no samples of fio 3.42", at));
  }
  return text;
}

}  // namespace fathom::run::logs
