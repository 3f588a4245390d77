// See proc_maps.h. A mapping begins with "begin-end rwxp offset device inode   name". smaps adds "Key: N kB".
#include "paging/learn/observe/proc_maps.h"

#include <charconv>
#include <set>

#include "host/proc/proc_text.h"

namespace fathom::paging::learn::observe {
namespace {

constexpr std::uint64_t kKernelThread = 0x00200000;  // PF_KTHREAD of the kernel's sched.h, in field 9 of stat

bool number(std::string_view word, std::uint64_t& out, int base) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), out, base);
  return error == std::errc() && end == word.data() + word.size();
}

bool begin_of_mapping(const std::vector<std::string_view>& fields, Mapping& out) {
  if (fields.size() < 5 || fields[1].size() != 4) return false;
  const auto dash = fields[0].find('-');
  if (dash == std::string_view::npos || !number(fields[0].substr(0, dash), out.begin, 16) ||
      !number(fields[0].substr(dash + 1), out.end, 16))
    return false;
  out.readable = fields[1][0] == 'r';
  out.writable = fields[1][1] == 'w';
  out.executable = fields[1][2] == 'x';
  out.shared = fields[1][3] == 's';
  if (fields.size() > 5) out.name = fields[5];
  return true;
}

struct Row {
  std::string_view key;
  std::uint64_t Mapping::*value;
};
constexpr Row kRows[] = {{"Rss:", &Mapping::resident},
                         {"Referenced:", &Mapping::referenced},
                         {"AnonHugePages:", &Mapping::anonymous_huge},
                         {"Swap:", &Mapping::swapped}};

}  // namespace

std::vector<Mapping> parse_mappings(std::string_view text) {
  std::vector<Mapping> out;
  for (const std::string_view line : host::proc::split_lines(text)) {
    const auto fields = host::proc::split_fields(line);
    Mapping next;
    if (begin_of_mapping(fields, next)) {
      out.push_back(next);
      continue;
    }
    if (out.empty() || fields.size() < 2) continue;
    for (const Row& row : kRows) {
      std::uint64_t kib = 0;
      if (fields[0] == row.key && number(fields[1], kib, 10)) out.back().*row.value = kib << 10;
    }
  }
  return out;
}

bool is_watched(const Mapping& mapping) {
  return mapping.readable && !mapping.executable && mapping.name.rfind("[v", 0) != 0;
}

std::vector<Mapping> watched(std::vector<Mapping> all) {
  std::set<std::string> images;
  for (const Mapping& mapping : all)
    if (mapping.executable && mapping.name.rfind('/', 0) == 0) images.insert(mapping.name);
  std::erase_if(all, [&](const Mapping& mapping) {
    return !is_watched(mapping) || (!mapping.writable && images.count(mapping.name) > 0);
  });
  return all;
}

ProcessFacts parse_stat(std::string_view text) {
  ProcessFacts out;
  const auto close = text.rfind(')');  // the name before it may contain anything
  if (close == std::string_view::npos) return out;
  const auto fields = host::proc::split_fields(text.substr(close + 1));
  constexpr std::size_t kParent = 1, kFlags = 6, kUser = 11, kSystem = 12, kResident = 21;  // fields 4, 9, 14, 15, 24
  std::uint64_t flags = 0, parent = 0;
  if (fields.size() <= kFlags || !number(fields[kFlags], flags, 10)) return out;
  if (number(fields[kParent], parent, 10)) out.parent = static_cast<int>(parent);
  if (fields.size() > kResident) number(fields[kResident], out.resident_pages, 10);
  std::uint64_t user = 0, system = 0;
  if (fields.size() > kSystem && number(fields[kUser], user, 10) && number(fields[kSystem], system, 10))
    out.cpu_ticks = user + system;
  const auto open = text.find('(');
  if (open < close) out.name = one_line(text.substr(open + 1, close - open - 1));
  out.there = true;
  out.state = fields[0][0];
  out.kernel_thread = (flags & kKernelThread) != 0;
  return out;
}

std::string one_line(std::string_view cmdline) {
  std::string out(cmdline);
  for (char& c : out)
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  out.erase(out.find_last_not_of(' ') + 1);
  return out;
}

}  // namespace fathom::paging::learn::observe
