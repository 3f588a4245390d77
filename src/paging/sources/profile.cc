// One table with the names, kinds and ranges of a profile's lines, for reading and writing.
#include "paging/sources/profile.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>
#include <variant>
#include <vector>

#include "base/files/input_file.h"
#include "base/nearest.h"
#include "base/text/parse.h"

namespace fathom::paging::sources {
namespace {

using Member = std::variant<int Profile::*, std::string Profile::*, double Profile::*, std::uint64_t Profile::*>;
struct ProfileRow {
  std::string_view name;
  Member member;
  double low, high;  // of a number
  bool must;
};
constexpr double kAny = std::numeric_limits<double>::infinity();
constexpr ProfileRow kProfileRows[] = {
    {"version", &Profile::version, 1, 1, true},
    {"command", &Profile::command, 0, 0, false},
    {"method", &Profile::method, 0, 0, false},
    {"observed_s", &Profile::observed_s, 0, kAny, false},
    {"page_bytes", &Profile::page_bytes, 4096, 1 << 30, false},
    {"mapped_bytes", &Profile::mapped_bytes, 0, kAny, false},
    {"working_set_bytes", &Profile::working_set_bytes, 4096, kAny, true},
    {"zipf_theta", &Profile::zipf_theta, -1, 20, true},
    {"zipf_error", &Profile::zipf_error, 0, kAny, false},
    {"read_percent", &Profile::read_percent, -1, 100, false},
    {"hot_move_s", &Profile::hot_move_s, 0, 1e6, false},
    {"hot_move_share", &Profile::hot_move_share, 0, 1, false},
};
constexpr double kShortestMove_s = 0.001;

// The position in the text that is being read; errors refer to it.
struct Place {
  const std::string& file;
  int line = 0;
  std::string_view text;
  base::Error error(std::string_view part, const std::string& what, std::string cause = {},
                    std::string help = {}) const {
    base::Error made{base::ErrorKind::usage, "profile " + file + ": " + what, std::move(cause), std::move(help), {}};
    const bool inside = part.data() >= text.data() && part.data() <= text.data() + text.size();
    const int column = inside ? static_cast<int>(part.data() - text.data()) + 1 : 1;
    made.place = base::SourcePlace{file, line, column, std::string(text), std::max(1, static_cast<int>(part.size()))};
    return made;
  }
};

const ProfileRow* find(std::string_view name) {
  for (const ProfileRow& row : kProfileRows)
    if (row.name == name) return &row;
  return nullptr;
}

constexpr char kWhoWritesIt[] = "write the profile with `fathom paging learn`";

std::string nearest(std::string_view name) {
  std::vector<std::string> known;
  for (const ProfileRow& row : kProfileRows) known.emplace_back(row.name);
  return base::did_you_mean(name, known, kWhoWritesIt);
}

base::Expected<double> number(const ProfileRow& row, std::string_view value, const Place& place) {
  const auto parsed = base::text::parse_double(value);
  if (!parsed) return place.error(value, fmt::format("{} `{}`: {}", row.name, value, parsed.error().what));
  if (*parsed < row.low || *parsed > row.high)
    return place.error(
        value, fmt::format("{} {}: out of range", row.name, value),
        row.high == kAny ? fmt::format("{} or more", row.low) : fmt::format("{} to {}", row.low, row.high));
  return *parsed;
}

base::Expected<std::int64_t> whole(const ProfileRow& row, std::string_view value, const Place& place) {
  const auto parsed = base::text::parse_int(value);
  if (!parsed) return place.error(value, fmt::format("{} `{}`: {}", row.name, value, parsed.error().what));
  const auto in_range = number(row, value, place);
  if (!in_range) return in_range.error();
  return *parsed;
}

base::Expected<void> set(Profile& profile, const ProfileRow& row, std::string_view value, const Place& place) {
  if (const auto* text = std::get_if<std::string Profile::*>(&row.member)) {
    profile.*(*text) = std::string(value);
  } else if (const auto* real = std::get_if<double Profile::*>(&row.member)) {
    const auto parsed = number(row, value, place);
    if (!parsed) return parsed.error();
    profile.*(*real) = *parsed;
  } else {
    const auto parsed = whole(row, value, place);
    if (!parsed) return parsed.error();
    if (const auto* count = std::get_if<std::uint64_t Profile::*>(&row.member))
      profile.*(*count) = static_cast<std::uint64_t>(*parsed);
    else
      profile.*std::get<int Profile::*>(row.member) = static_cast<int>(*parsed);
  }
  return {};
}

// Returns "name value"; either may be empty. In the value, '#' begins a comment unless the value is taken literally.
std::pair<std::string_view, std::string_view> split(std::string_view line) {
  const std::string_view text = base::text::trim(line);
  const std::size_t blank = text.find_first_of(" \t");
  const std::string_view name = text.substr(0, blank);
  std::string_view value =
      blank == std::string_view::npos ? text.substr(text.size()) : base::text::trim(text.substr(blank));
  const ProfileRow* const row = find(name);
  const bool as_it_is = row != nullptr && std::holds_alternative<std::string Profile::*>(row->member);
  if (!as_it_is) value = base::text::trim(value.substr(0, value.find('#')));
  return {name, value};
}

base::Expected<void> take_line(Profile& profile, std::uint32_t& seen, const Place& place) {
  if (place.text.find('\0') != std::string_view::npos) return place.error(place.text, "not a text file");
  const auto [name, value] = split(place.text);
  if (name.empty() || name.front() == '#') return {};
  const ProfileRow* const row = find(name);
  if (row == nullptr) return place.error(name, fmt::format("unknown key `{}`", name), {}, nearest(name));
  const std::uint32_t bit = 1u << (row - kProfileRows);
  if ((seen & bit) != 0) return place.error(name, fmt::format("{} occurs twice", name));
  seen |= bit;
  return set(profile, *row, value, place);
}

std::string on_one_line(const std::string& text) {
  std::string out(text);
  for (char& c : out)
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) c = ' ';
  return std::string(base::text::trim(out));
}

std::string written(const Profile& profile, const ProfileRow& row) {
  return std::visit(
      [&](auto member) {
        if constexpr (std::is_same_v<decltype(member), std::string Profile::*>)
          return on_one_line(profile.*member);
        else
          return fmt::format("{}", profile.*member);
      },
      row.member);
}

}  // namespace

bool exponent_is_known(double theta, double error) {
  constexpr double kPart = 1.0 / 3, kMost = 0.3, kFlat = 0.5;
  return theta >= 0 && ((error <= kPart * theta && error <= kMost) || theta + error <= kFlat);
}

base::Expected<Profile> parse_profile(std::string_view text, const std::string& file_name) {
  Profile profile;
  std::uint32_t seen = 0;
  Place place{file_name, 0, text.substr(0, 0)};
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    ++place.line;
    place.text = text.substr(0, end);
    if (auto taken = take_line(profile, seen, place); !taken) return taken.error();
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  for (const ProfileRow& row : kProfileRows)
    if (row.must && (seen & (1u << (&row - kProfileRows))) == 0)
      return place.error(place.text, fmt::format("{} is missing", row.name), {}, kWhoWritesIt);
  if (profile.hot_move_s != 0 && profile.hot_move_s < kShortestMove_s)
    return place.error(place.text, fmt::format("hot_move_s {}: out of range", profile.hot_move_s),
                       "0, or 1 ms or more");
  return profile;
}

std::string write_profile(const Profile& profile) {
  std::string out =
      "# What was learnt of a process's memory accesses; `fathom paging --pattern profile:FILE` plays it.\n";
  for (const ProfileRow& row : kProfileRows) {
    const std::string value = written(profile, row);
    out += value.empty() ? fmt::format("{}\n", row.name) : fmt::format("{} {}\n", row.name, value);
  }
  return out;
}

base::Expected<Profile> read_profile(const std::string& path) {
  constexpr std::size_t kLongest_bytes = 1 << 20;
  const auto text = base::files::read_input("profile", path, kLongest_bytes);
  if (!text) return text.error();
  return parse_profile(*text, path);
}

}  // namespace fathom::paging::sources
