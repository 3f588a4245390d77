// random_distribution=name[:parameter[:center]] or zoned:access/size:... A distribution applies to all directions.
// Zones may be given for each direction, separated by commas.
#include "job/values/distribution.h"

#include <cmath>

#include <fmt/format.h>

#include "base/nearest.h"
#include "job/fields/offset_choice.h"

namespace fathom::job::values {
namespace {

using pattern::Kind;
using pattern::Spec;

struct Shape {
  std::string_view name;
  Kind kind;
  double fallback, min, max;  // of the parameter
  std::string_view parameter;
};
constexpr std::string_view kSequence = "sequence";
constexpr std::size_t kLongestSequence = 64;  // fio's limit
constexpr Shape kShapes[] = {
    {"random", Kind::uniform, 0, 0, 0, ""},
    {"zipf", Kind::zipf, 1.1, 0, 100, "theta, not 1"},
    {"pareto", Kind::pareto, 0.2, 0, 1, "the power, between 0 and 1"},
    {"normal", Kind::normal, 0, 0, 100, "the deviation in percent"},
    {"zoned", Kind::zoned, 0, 0, 0, ""},
    {"zoned_abs", Kind::zoned_abs, 0, 0, 0, ""},
    {kSequence, Kind::uniform, 0, 0, 0, ""},
};

const Shape* find(std::string_view name) {
  for (const auto& row : kShapes)
    if (row.name == name) return &row;
  return nullptr;
}

Outcome not_a_distribution(std::string_view name) {
  std::vector<std::string_view> names;
  for (const auto& row : kShapes) names.push_back(row.name);
  return wrong("not a distribution",
               "the distributions are random, zipf, pareto, normal, zoned, zoned_abs and sequence",
               base::did_you_mean(name, names, "write one of them", "random_distribution="), name);
}

Outcome read_parameters(const Value& value, const Shape& row, Spec& spec) {
  const auto parts = split(value.text, ':');
  const auto help = fmt::format("write `random_distribution={}:{}` ({})", row.name, row.fallback, row.parameter);
  if (parts.size() > 2)
    return wrong("too many parameters", "a distribution has two: the parameter and the center", help, parts[2]);
  if (auto problem = read_real(value.part(parts[0]), row.min, row.max, spec.parameter)) {
    problem->help = help;
    return problem;
  }
  const bool excluded = (row.kind == Kind::zipf && spec.parameter == 1) ||
                        (row.kind == Kind::pareto && (spec.parameter <= 0 || spec.parameter >= 1));
  if (excluded) return wrong("out of range", fmt::format("{} has no value in this range", row.name), help, parts[0]);
  if (parts.size() == 2) return read_real(value.part(parts[1]), 0, 1, spec.center);
  return {};
}

Outcome read_zone(const Value& value, Kind kind, pattern::Zone& zone, bool& open) {
  const auto parts = split(value.text, '/');
  if (parts.size() > 2 || parts[0].empty())
    return wrong("not a zone", "a zone is share/size", "write `random_distribution=zoned:60/10:40/90`", value.text);
  if (auto problem = read_real(value.part(parts[0]), 0, 100, zone.access_percent)) return problem;
  open = parts.size() == 1 || parts[1].empty();
  if (open) return {};
  if (kind == Kind::zoned_abs) return read_bytes(value.part(parts[1]), zone.size_bytes);
  auto percent = parts[1];
  if (percent.back() == '%') percent.remove_suffix(1);
  return read_real(value.part(percent), 0, 100, zone.size_percent);
}

// Zones without a size share the rest of the file.
Outcome read_zones(const Value& value, Kind kind, std::vector<pattern::Zone>& out) {
  const auto text = value.text;
  std::vector<pattern::Zone> zones;
  std::vector<std::size_t> open_zones;
  double access = 0, size = 0;
  for (const auto part : split(text, ':')) {
    pattern::Zone zone;
    bool open = false;
    if (auto problem = read_zone(value.part(part), kind, zone, open)) return problem;
    if (open) open_zones.push_back(zones.size());
    access += zone.access_percent;
    size += zone.size_percent;
    zones.push_back(zone);
  }
  const std::string_view help = "write zones with shares that add up to 100: `random_distribution=zoned:60/10:40/90`";
  if (std::abs(access - 100) > 1e-6)
    return wrong("shares are not 100 %", fmt::format("the zones' shares add up to {}", access), std::string(help),
                 text);
  if (size > 100 + 1e-6)
    return wrong("zones larger than the file", fmt::format("the zones' sizes add up to {} %", size), std::string(help),
                 text);
  if (!open_zones.empty() && kind == Kind::zoned_abs)
    return wrong("a zone without a size", "zoned_abs needs a size for each zone",
                 "write `random_distribution=zoned_abs:60/1g:40/9g`", text);
  for (const auto i : open_zones) zones[i].size_percent = (100 - size) / static_cast<double>(open_zones.size());
  out = std::move(zones);
  return {};
}

Outcome read_zoned(Job& job, const Value& value, Kind kind) {
  Spec specs[io::kDataDirs];
  auto problem = for_each_direction(value.text, [&](std::size_t d, std::string_view part) {
    specs[d].kind = kind;
    return read_zones(value.part(part), kind, specs[d].zones);
  });
  if (problem) return problem;
  for (std::size_t d = 0; d < io::kDataDirs; ++d) {
    if (specs[d].zones.empty()) specs[d].kind = Kind::uniform;
    job.distribution[d] = specs[d];
  }
  return {};
}

Outcome read_sequence(const Value& value, std::vector<std::uint64_t>& blocks) {
  const std::string help = "write block numbers: `random_distribution=sequence:0,3,1,2`";
  if (value.text.empty()) return wrong("blocks are missing", "", help, value.text);
  for (const auto part : split(value.text, ',')) {
    std::uint64_t block = 0;
    if (auto problem = read_bytes(value.part(part), block)) {
      problem->help = help;
      return problem;
    }
    if (blocks.size() == kLongestSequence)
      return wrong("too many blocks", fmt::format("a sequence has at most {}", kLongestSequence), help, part);
    blocks.push_back(block);
  }
  return {};
}

}  // namespace

Outcome read_distribution(Job& job, const Value& value) {
  const auto text = value.text;
  const std::size_t colon = text.find(':');
  const auto name = text.substr(0, colon);
  const Shape* row = find(name);
  if (!row) return not_a_distribution(name);
  const auto rest = colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
  auto& sequence = job.own.get<fields::OffsetChoice>().sequence;
  sequence.clear();
  if (row->name == kSequence) {
    for (auto& s : job.distribution) s = {};
    return read_sequence(value.part(rest), sequence);
  }
  const bool zoned = row->kind == Kind::zoned || row->kind == Kind::zoned_abs;
  if (zoned) {
    if (rest.empty()) return wrong("zones are missing", "", "write `random_distribution=zoned:60/10:40/90`", text);
    return read_zoned(job, value.part(rest), row->kind);
  }
  Spec spec;
  spec.kind = row->kind;
  spec.parameter = row->fallback;
  if (!rest.empty()) {
    if (row->kind == Kind::uniform)
      return wrong("random has no parameter", "", "write `random_distribution=random`", rest);
    if (auto problem = read_parameters(value.part(rest), *row, spec)) return problem;
  }
  for (auto& s : job.distribution) s = spec;
  return {};
}

}  // namespace fathom::job::values
