// The table of formats; detection; opening.
#include "trace/formats.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "base/nearest.h"
#include "base/text/printable.h"
#include "trace/readers/readers.h"

namespace fathom::trace {
namespace {

constexpr Format kFormats[] = {
    {"iolog-3", "fio's log of I/Os, version 3: microseconds", readers::fits_iolog3, readers::open_iolog3},
    {"iolog-2", "fio's log of I/Os, version 2: no times but wait lines", readers::fits_iolog2, readers::open_iolog2},
    {"iolog-1", "fio's oldest log of I/Os; refused", readers::fits_iolog1, readers::open_iolog1},
    {"blktrace", "the kernel's block trace, binary: blktrace, blkparse -d, tracefs", readers::fits_blktrace,
     readers::open_blktrace, true},
    {"blkparse", "the kernel's block trace, text of blkparse", readers::fits_blkparse_text,
     readers::open_blkparse_text},
    {"strace", "system calls: strace -ttt -T, also -f and -y", readers::fits_strace, readers::open_strace},
    {"biosnoop", "lines of biosnoop, bcc or libbpf-tools", readers::fits_biosnoop, readers::open_biosnoop},
    {"msr", "MSR Cambridge: time, host, disk, type, offset, size, response", readers::fits_msr, readers::open_msr},
    {"spc", "SPC, UMass: unit, block, bytes, R or W, seconds", readers::fits_spc, readers::open_spc},
    {"alibaba", "Alibaba: device, R or W, offset, bytes, us", readers::fits_alibaba, readers::open_alibaba},
    {"tencent", "Tencent: seconds, sector, sectors, 0 or 1, volume", readers::fits_tencent, readers::open_tencent},
};

base::Error mistake(std::string what, std::string cause, std::string help) {
  return {.what = std::move(what), .cause = std::move(cause), .help = std::move(help)};
}

std::string quoted(std::string_view name) { return fmt::format("`{}`", base::text::printable(name)); }

base::Expected<const Format*> format_named(const std::string& name) {
  if (const auto* row = find_format(name)) return row;
  std::vector<std::string_view> names;
  for (const auto& row : kFormats) names.push_back(row.name);
  return mistake(fmt::format("no trace format {}", quoted(name)), "",
                 base::did_you_mean(name, names, fmt::format("write one of: {}", fmt::join(names, ", ")), ""));
}

base::Expected<std::unique_ptr<Reader>> open_inputs(Inputs inputs, const OpenOptions& options) {
  auto name = inputs.front()->name();
  auto head = inputs.front()->head();
  // The file of a CPU without I/Os is empty.
  for (std::size_t i = 1; head && head->empty() && i < inputs.size(); ++i) {
    name = inputs[i]->name();
    head = inputs[i]->head();
  }
  if (!head) return std::move(head.error());
  auto format = options.format.empty() ? detect(*head, name, kFormats) : format_named(options.format);
  if (!format) return std::move(format.error());
  if (inputs.size() > 1 && !(*format)->several_files)
    return mistake(fmt::format("{} and {} other files given as one trace", quoted(name), inputs.size() - 1),
                   fmt::format("format {} has one file per trace; only blktrace has one per CPU", (*format)->name),
                   "name one file");
  return (*format)->open(std::move(inputs), options);
}

bool exists(const std::string& path) {
  struct stat file = {};
  return ::stat(path.c_str(), &file) == 0;
}

// NAME stands for NAME.blktrace.0, NAME.blktrace.1 ... A CPU without records may lack a file.
std::vector<std::string> files_of(const std::string& path) {
  constexpr int kMostCpus = 8192;
  if (path == "-" || exists(path) || !exists(path + ".blktrace.0")) return {path};
  std::vector<std::string> files;
  for (int cpu = 0; cpu < kMostCpus; ++cpu)
    if (auto file = fmt::format("{}.blktrace.{}", path, cpu); exists(file)) files.push_back(std::move(file));
  return files;
}

}  // namespace

std::span<const Format> formats() { return kFormats; }

const Format* find_format(std::string_view name) {
  const auto found =
      std::find_if(std::begin(kFormats), std::end(kFormats), [&](const auto& f) { return f.name == name; });
  return found == std::end(kFormats) ? nullptr : found;
}

base::Expected<const Format*> detect(std::string_view head, const std::string& name, std::span<const Format> rows) {
  std::vector<const Format*> fitting;
  for (const auto& row : rows)
    if (row.fits(head)) fitting.push_back(&row);
  if (fitting.size() == 1) return fitting.front();
  std::vector<std::string_view> names;
  if (!fitting.empty()) {
    for (const auto* row : fitting) names.push_back(row->name);
    return mistake(fmt::format("trace {}: several formats fit", quoted(name)),
                   fmt::format("{}", fmt::join(names, ", ")),
                   fmt::format("name the format: --format={}", fitting.front()->name));
  }
  for (const auto& row : rows) names.push_back(row.name);
  return mistake(fmt::format("trace {}: unknown format", quoted(name)),
                 head.empty() ? "the file is empty" : "its beginning fits no format that fathom reads",
                 fmt::format("name the format with --format=: {}", fmt::join(names, ", ")));
}

base::Expected<std::unique_ptr<Reader>> open_trace(std::span<const std::string> paths, const OpenOptions& options) {
  Inputs inputs;
  for (const auto& path : paths) {
    for (const auto& file : files_of(path)) {
      auto input = Input::open(file);
      if (!input) return std::move(input.error());
      inputs.push_back(std::move(*input));
    }
  }
  if (inputs.empty()) return mistake("no trace given", "", "name a file");
  return open_inputs(std::move(inputs), options);
}

base::Expected<std::unique_ptr<Reader>> open_trace(const std::string& path, const OpenOptions& options) {
  return open_trace(std::span(&path, 1), options);
}

base::Expected<std::unique_ptr<Reader>> open_trace(base::system::UniqueFd fd, std::string name,
                                                   const OpenOptions& options) {
  Inputs inputs;
  inputs.push_back(std::make_unique<Input>(std::move(fd), std::move(name)));
  return open_inputs(std::move(inputs), options);
}

}  // namespace fathom::trace
