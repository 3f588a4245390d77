// libFuzzer: any bytes as a trace. The first byte chooses a format, 0 its detection. What is refused has a text; an
// event names a file of the table and ends within 64 bits; what was read can be written as an iolog, which gives the
// same I/Os when it is read again.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "trace/formats.h"
#include "trace/iolog_writer.h"
#include "trace/sums/summary.h"
#include "trace/sums/to_job.h"

using namespace fathom;

namespace {

base::Expected<std::unique_ptr<trace::Reader>> opened(std::string_view text, const trace::OpenOptions& options) {
  base::system::UniqueFd fd(::memfd_create("trace", MFD_CLOEXEC));
  if (::write(fd.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) std::abort();
  ::lseek(fd.get(), 0, SEEK_SET);
  return trace::open_trace(std::move(fd), "fuzz", options);
}

struct Read {
  std::vector<trace::Event> ios;
  std::string iolog;
  bool complete = false;
};

void check(const trace::Event& event, const trace::Reader& reader) {
  if (event.file >= reader.files().size() || reader.files().size() > 65'536) std::abort();
  if (event.length_bytes > ~event.offset_bytes) std::abort();
  if (trace::moves_bytes(event.action) != (event.length_bytes > 0)) std::abort();
  if (event.is_wait && event.action != trace::Action::add) std::abort();
}

Read read(std::string_view text, const trace::OpenOptions& options) {
  Read all;
  auto reader = opened(text, options);
  if (!reader) {
    if (reader.error().what.empty()) std::abort();
    return all;
  }
  trace::IologWriter writer([&](std::string_view piece) { return all.iolog += piece, base::Expected<void>(); });
  trace::sums::Summary summary;
  trace::sums::JobMaker job;
  trace::Event event;
  auto more = (*reader)->next(event);
  for (; more && *more; more = (*reader)->next(event)) {
    check(event, **reader);
    summary.add(event);
    job.add(event);
    if (!writer.write(event, (*reader)->files())) std::abort();
    if (trace::is_io(event.action)) all.ios.push_back(event);
  }
  if (!more && more.error().what.empty()) std::abort();
  if (summary.ios() != all.ios.size()) std::abort();
  (void)writer.finish((*reader)->files());
  (void)job.text((*reader)->files(), {});
  (void)(*reader)->notes();
  for (const auto& row : (*reader)->skipped())
    if (row.records == 0 || row.first.empty()) std::abort();
  all.complete = more.ok();
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto rows = trace::formats();
  const auto choice = data[0] % (rows.size() + 1);
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto first = read(text, {.format = choice == 0 ? "" : std::string(rows[choice - 1].name)});
  // Only fio's logs have names that are read as they are written.
  if (!first.complete || choice == 0 || !rows[choice - 1].name.starts_with("iolog")) return 0;
  const auto again = read(first.iolog, {});
  std::size_t i = 0;
  for (const auto& event : first.ios) {
    const bool flushed = event.flush_first;
    if (flushed || i >= again.ios.size()) std::abort();
    const auto& other = again.ios[i++];
    if (other.offset_bytes != event.offset_bytes || other.length_bytes != event.length_bytes) std::abort();
    if (other.action != event.action || other.time_ns / 1000 != event.time_ns / 1000) std::abort();
  }
  if (i != again.ios.size()) std::abort();
  return 0;
}
