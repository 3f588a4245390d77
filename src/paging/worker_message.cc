// Kind, then the parts in order: four bytes of length and the bytes; a number is a part of eight bytes.
#include "paging/worker_message.h"

#include <cstdint>
#include <cstring>

namespace fathom::paging {
namespace {

enum class Kind : char { finding = 'F', error = 'E' };

class Writer {
 public:
  explicit Writer(Kind kind) : bytes_(1, static_cast<char>(kind)) {}
  void number(std::int64_t n) {
    char raw[sizeof n];
    std::memcpy(raw, &n, sizeof n);
    text({raw, sizeof n});
  }
  void text(std::string_view s) {
    const auto size = static_cast<std::uint32_t>(s.size());
    char raw[sizeof size];
    std::memcpy(raw, &size, sizeof size);
    bytes_.append(raw, sizeof size).append(s);
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}
  bool torn() const { return torn_; }
  bool empty() const { return rest_.empty(); }
  char kind() {
    const char k = rest_.front();
    rest_.remove_prefix(1);
    return k;
  }
  std::string text() {
    std::uint32_t size = 0;
    if (rest_.size() < sizeof size) return tear();
    std::memcpy(&size, rest_.data(), sizeof size);
    if (rest_.size() - sizeof size < size) return tear();
    const std::string s(rest_.substr(sizeof size, size));
    rest_.remove_prefix(sizeof size + size);
    return s;
  }
  std::int64_t number() {
    const std::string raw = text();
    std::int64_t n = 0;
    if (raw.size() == sizeof n) std::memcpy(&n, raw.data(), sizeof n);
    return n;
  }

 private:
  std::string tear() {
    torn_ = true;
    rest_ = {};
    return {};
  }
  std::string_view rest_;
  bool torn_ = false;
};

result::Finding finding_of(Reader& in) {
  result::Finding f;
  f.id = in.text();
  f.severity = static_cast<result::Severity>(in.number());
  f.job = in.text();
  f.evidence = in.text();
  f.remedy = in.text();
  return f;
}

base::Error error_of(Reader& in) {
  base::Error e;
  e.kind = static_cast<base::ErrorKind>(in.number());
  e.what = in.text();
  e.cause = in.text();
  e.help = in.text();
  e.sys_errno = static_cast<int>(in.number());
  if (in.number() == 0) return e;
  auto& place = e.place.emplace();
  place.file = in.text();
  place.line = static_cast<int>(in.number());
  place.column = static_cast<int>(in.number());
  place.line_text = in.text();
  place.length = static_cast<int>(in.number());
  return e;
}

}  // namespace

std::string encode(const result::Finding& finding) {
  Writer out(Kind::finding);
  out.text(finding.id);
  out.number(static_cast<std::int64_t>(finding.severity));
  for (const auto* text : {&finding.job, &finding.evidence, &finding.remedy}) out.text(*text);
  return out.take();
}

std::string encode(const base::Error& error) {
  Writer out(Kind::error);
  out.number(static_cast<std::int64_t>(error.kind));
  for (const auto* text : {&error.what, &error.cause, &error.help}) out.text(*text);
  out.number(error.sys_errno);
  out.number(error.place ? 1 : 0);
  if (!error.place) return out.take();
  out.text(error.place->file);
  out.number(error.place->line);
  out.number(error.place->column);
  out.text(error.place->line_text);
  out.number(error.place->length);
  return out.take();
}

WorkerMessages decode(std::string_view bytes) {
  WorkerMessages messages;
  for (Reader in(bytes); !in.empty();) {
    if (in.kind() == static_cast<char>(Kind::finding)) {
      auto finding = finding_of(in);
      if (!in.torn()) messages.findings.push_back(std::move(finding));
    } else {
      auto error = error_of(in);
      if (!in.torn() && !messages.error) messages.error = std::move(error);
    }
  }
  return messages;
}

}  // namespace fathom::paging
