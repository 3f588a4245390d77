// The line is kept whole, so that a mistake is shown under the very word that holds it.
#include "options/command_line.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/nearest.h"

namespace fathom::options {
namespace {

using Done = base::Expected<void>;

class Reader {
 public:
  Reader(const Manual& manual, std::span<const std::string> args) : manual_(manual), args_(args) {
    auto line = std::make_shared<SourceLine>();
    line->file = kCommandLine;
    for (const auto& arg : args) {
      columns_.push_back(static_cast<int>(line->text.size()) + (line->text.empty() ? 1 : 2));
      line->text += (line->text.empty() ? "" : " ") + arg;
    }
    line_ = std::move(line);
  }

  Done read() {
    bool words_only = false;
    for (; at_ < args_.size() && !given.help; ++at_) {
      const std::string& arg = args_[at_];
      const bool dashes = arg == "--" && manual_.grammar != Grammar::exact && !words_only;
      const bool word = words_only || arg.size() < 2 || arg[0] != '-';
      if ((word || dashes) && manual_.grammar == Grammar::command) {
        given.command.assign(args_.begin() + static_cast<std::ptrdiff_t>(at_ + (dashes ? 1 : 0)), args_.end());
        return {};
      }
      words_only |= dashes;
      if (word && !dashes) given.words.push_back(arg);
      if (word || dashes) continue;
      if (auto done = arg[1] == '-' ? long_option(arg) : letters(arg); !done) return done;
    }
    return {};
  }

  Given given;

 private:
  Written written(const Row* row, Spelling spelling, std::string key, std::size_t column) const {
    Written w;
    w.row = row;
    w.spelling = spelling;
    w.assignment.key = std::move(key);
    w.assignment.line = line_;
    w.assignment.key_column = columns_[at_] + static_cast<int>(column);
    if (spelling == Spelling::letter) w.assignment.joint = " ";
    return w;
  }

  base::Error refused(const Written& w, std::string what, std::string cause, std::string help) const {
    return usage_error(std::move(what), std::move(cause), std::move(help), key_place(w.assignment));
  }

  base::Error unknown(const std::string& key) const {
    std::vector<std::string> names;
    for (const auto& group : manual_.groups)
      for (const auto& row : group.rows)
        for (const auto name : row.names()) names.push_back(fmt::format("{}{}", name.size() > 1 ? "--" : "-", name));
    std::string help = fmt::format("`{} --help` lists them", manual_.command);
    if (key.size() > 2) help = base::did_you_mean(key, names, help);
    return refused(written(nullptr, Spelling::dashes, key, 0), fmt::format("no option `{}`", key), "", help);
  }

  std::vector<const Row*> rows_called(std::string_view name) const {
    auto rows =
        rows_named(manual_.groups, [&](std::string_view called) { return called.size() > 1 && called == name; });
    if (rows.empty() && manual_.grammar == Grammar::getopt && !name.empty())
      rows = rows_named(manual_.groups,
                        [&](std::string_view called) { return called.size() > 1 && called.starts_with(name); });
    return rows;
  }

  Done long_option(const std::string& arg) {
    const auto equals = arg.find('=');
    const std::string key = arg.substr(0, equals);
    const auto rows = rows_called(std::string_view(key).substr(2));
    if (rows.empty() && key == "--help") return given.help = true, Done();
    if (rows.empty()) return unknown(key);
    auto w = written(rows[0], spelling(), key, 0);
    if (rows.size() > 1) {
      auto e = ambiguous(key, rows);
      e.place = key_place(w.assignment);
      return e;
    }
    if (equals != std::string::npos) set_value(w.assignment, arg, equals + 1);
    w.assignment.joint = "=";
    return take(std::move(w));
  }

  // "-m64", "-m 64", "-ci", and as perf takes it "-m=64".
  Done letters(const std::string& arg) {
    for (std::size_t i = 1; i < arg.size(); ++i) {
      const auto rows = rows_named(manual_.groups, [&](std::string_view called) { return called == arg.substr(i, 1); });
      const std::string key{'-', arg[i]};
      if (rows.empty() && arg == "-h") return given.help = true, Done();
      if (rows.empty()) return unknown(i == 1 ? arg.substr(0, arg.find('=')) : key);
      auto w = written(rows[0], Spelling::letter, key, i == 1 ? 0 : i);
      const bool joined = i + 1 < arg.size() && arg[i + 1] == '=' && manual_.grammar != Grammar::getopt;
      if (joined || (rows[0]->takes_value() && i + 1 < arg.size())) set_value(w.assignment, arg, i + (joined ? 2 : 1));
      if (auto done = take(std::move(w)); !done || given.help || rows[0]->takes_value()) return done;
    }
    return {};
  }

  void set_value(Assignment& a, const std::string& arg, std::size_t from) const {
    a.value = arg.substr(from);
    a.value_column = columns_[at_] + static_cast<int>(from);
  }

  // pmbench's and SPDK's users know the letters.
  Spelling spelling() const { return manual_.grammar == Grammar::getopt ? Spelling::letter : Spelling::dashes; }

  Done take(Written w) {
    auto& a = w.assignment;
    const Row& row = *w.row;
    if (row.words.status == Status::not_built) {
      auto e =
          refused(w, fmt::format("{} is not built in fathom yet", a.key), std::string(row.words.note), "leave it out");
      e.kind = base::ErrorKind::not_built;
      return e;
    }
    if (!row.takes_value() && a.value) return refused(w, fmt::format("{}: it takes no value", a.key), "", "");
    if (row.takes_value() && !row.value_optional() && !a.value) next_word(a);
    const bool empty = a.value && a.value->empty() && manual_.grammar != Grammar::getopt;
    if (row.takes_value() && !row.value_optional() && (!a.value || empty))
      return refused(w, fmt::format("{}: a value is missing", a.key), "",
                     fmt::format("write `{}`", Value{row, "", w.spelling}.with(row.value())));
    given.help |= has_word("help usage version", row.name());
    given.options.push_back(std::move(w));
    return {};
  }

  void next_word(Assignment& a) {
    const bool there = at_ + 1 < args_.size();
    if (!there || (manual_.grammar == Grammar::exact && args_[at_ + 1].starts_with("--"))) return;
    a.value = args_[++at_];
    a.value_column = columns_[at_];
  }

  const Manual& manual_;
  std::span<const std::string> args_;
  std::shared_ptr<const SourceLine> line_;
  std::vector<int> columns_;
  std::size_t at_ = 0;
};

}  // namespace

const std::string* Given::last(std::string_view name) const {
  const auto found =
      std::find_if(options.rbegin(), options.rend(), [&](const Written& w) { return w.row->is_called(name); });
  static const std::string kBare;
  return found == options.rend() ? nullptr : found->assignment.value ? &*found->assignment.value : &kBare;
}

std::vector<std::string> Given::all(std::string_view name) const {
  std::vector<std::string> values;
  for (const auto& w : options)
    if (w.row->is_called(name)) values.push_back(w.assignment.value.value_or(""));
  return values;
}

base::Error Given::placed(base::Error error) const {
  if (error.place) return error;
  const std::string_view what = error.what;
  for (const auto& w : options)
    for (const auto name : w.row->names()) {
      const std::string spelled = fmt::format("{}{}", name.size() > 1 ? "--" : "-", name);
      const bool it = what.starts_with(spelled) && what.find_first_of("=: ", spelled.size()) == spelled.size();
      if (it) error.place = whole_place(w.assignment);
    }
  return error;
}

base::Expected<Given> read_command_line(const Manual& manual, std::span<const std::string> args,
                                        const Targets& targets) {
  Reader reader(manual, args);
  if (auto done = reader.read(); !done) return done.error();
  if (reader.given.help) return std::move(reader.given);
  for (const auto& w : reader.given.options) {
    if (w.row->apply == nullptr) continue;
    const auto& a = w.assignment;
    const std::string_view text = a.value ? std::string_view(*a.value) : std::string_view();
    if (auto problem = w.row->apply(targets, {*w.row, text, w.spelling})) return error_at(a, text, *problem);
  }
  return std::move(reader.given);
}

base::Error ambiguous(std::string_view written, std::span<const Row* const> rows) {
  std::vector<std::string> could;
  for (const auto* row : rows) could.push_back(fmt::format("--{}", row->name()));
  return usage_error(fmt::format("`{}` is the beginning of several options", written),
                     fmt::format("it could be {}", fmt::join(could, ", ")), "write more of the name");
}

}  // namespace fathom::options
