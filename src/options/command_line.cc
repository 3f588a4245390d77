// The whole line is stored, so that an error can point at the word that caused it.
#include "options/command_line.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/nearest.h"
#include "options/rows.h"
#include "options/value.h"

namespace fathom::options {
namespace {

using Done = base::Expected<void>;

class Reader {
 public:
  Reader(const Manual& manual, std::span<const std::string> args, const Targets& targets)
      : manual_(manual), args_(args), targets_(targets) {
    auto line = std::make_shared<SourceLine>();
    line->file = kCommandLine;
    for (const auto& arg : args) {
      columns_.push_back(static_cast<int>(line->text.size()) + (line->text.empty() ? 1 : 2));
      line->text += (line->text.empty() ? "" : " ") + arg;
    }
    line_ = std::move(line);
  }

  Done read() {
    bool arguments_only = false;
    for (; at_ < args_.size() && (!given.help || fio()); ++at_) {
      const std::string& arg = args_[at_];
      const bool dashes = arg == "--" && manual_.grammar != Grammar::exact && !arguments_only;
      const bool word = arguments_only || arg.size() < 2 || arg[0] != '-';
      if ((word || dashes) && manual_.grammar == Grammar::command) {
        given.command.assign(args_.begin() + static_cast<std::ptrdiff_t>(at_ + (dashes ? 1 : 0)), args_.end());
        return {};
      }
      arguments_only |= dashes;
      if (word && !dashes) given.arguments.push_back(arg);
      if (word || dashes) continue;
      const bool is_long = arg[1] == '-' || (fio() && (arg.size() > 2 || rows_lettered(arg.substr(1)).empty()));
      if (auto done = is_long ? long_option(arg) : letters(arg); !done) return done;
    }
    return {};
  }

  Done apply(const Written& w) {
    if (w.row->apply == nullptr) return {};
    const auto& a = w.assignment;
    const std::string_view text = a.value ? std::string_view(*a.value) : std::string_view();
    const auto problem = w.row->apply(targets_, {*w.row, text, w.spelling});
    if (!problem) return {};
    if (problem->kind == base::ErrorKind::not_built) return not_built(error_at(a, text, *problem));
    return error_at(a, text, *problem);
  }

  Given given;

 private:
  Written written(const Row* row, Spelling spelling, std::string key, std::size_t column) const {
    Written w;
    w.row = row;
    w.spelling = spelling;
    w.assignment.key = std::move(key);
    w.assignment.line = fio() ? line_of(args_[at_]) : line_;
    w.assignment.key_column = (fio() ? 1 : columns_[at_]) + static_cast<int>(column);
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

  base::Error unknown_to_fio(const Written& w) const {
    auto names = long_names(manual_.beside);
    for (const auto name : long_names(manual_.groups)) names.push_back(name);
    const std::string& key = w.assignment.key;
    return refused(
        w, fmt::format("unrecognized option '--{}'", key), "neither fathom nor fio has an option of that name",
        base::did_you_mean(key, names, "`--help` lists the options of the program, `--cmdhelp` those of a job", "--"));
  }

  base::Error ambiguous(const Written& w, const std::string& key, std::span<const Row* const> rows) const {
    std::vector<std::string> could;
    for (const auto* row : rows) could.push_back(fmt::format("--{}", row->name()));
    return refused(w, fmt::format("`{}` matches several options", key),
                   fmt::format("matching options: {}", fmt::join(could, ", ")), "write more of the name");
  }

  std::vector<const Row*> rows_lettered(const std::string& letter) const {
    return rows_named(manual_.groups, [&](std::string_view called) { return called == letter; });
  }

  template <class Fits>
  std::vector<const Row*> rows_where(Fits fits) const {
    const auto fits_long = [&](std::string_view called) { return called.size() > 1 && fits(called); };
    auto rows = fio() ? rows_named(manual_.beside, fits_long) : std::vector<const Row*>();
    for (const auto* row : rows_named(manual_.groups, fits_long)) rows.push_back(row);
    return rows;
  }

  // fio accepts an abbreviated name. Options of engines do not make it ambiguous.
  std::vector<const Row*> rows_called(const std::string& name) const {
    auto rows = rows_where([&](std::string_view called) { return called == name; });
    if (!rows.empty() || name.empty() || (manual_.grammar != Grammar::getopt && !fio())) return rows;
    rows = rows_where([&](std::string_view called) { return called.starts_with(name); });
    const auto of_engines = [](const Row* row) { return !row->texts.engines.empty(); };
    if (!std::all_of(rows.begin(), rows.end(), of_engines)) std::erase_if(rows, of_engines);
    return rows;
  }

  Done long_option(const std::string& arg) {
    const auto equals = arg.find('=');
    const std::string key = arg.substr(0, equals), name = key.substr(arg[1] == '-' ? 2 : 1);
    const auto rows = rows_called(name);
    if (rows.empty() && key == "--help") return given.help = true, Done();
    if (rows.empty() && !fio()) return unknown(key);
    auto w =
        written(rows.empty() ? nullptr : rows[0], spelling(), fio() ? name : key, fio() ? key.size() - name.size() : 0);
    if (rows.empty()) return unknown_to_fio(w);
    if (rows.size() > 1) return ambiguous(w, "--" + name, rows);
    if (equals != std::string::npos) set_value(w.assignment, arg, equals + 1);
    w.assignment.joint = "=";
    return take(std::move(w));
  }

  // "-m64", "-m 64", "-ci", and as in perf "-m=64".
  Done letters(const std::string& arg) {
    for (std::size_t i = 1; i < arg.size(); ++i) {
      const auto rows = rows_lettered(arg.substr(i, 1));
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
    a.value_column = (fio() ? 1 : columns_[at_]) + static_cast<int>(from);
  }

  // Users of pmbench and SPDK know the letters.
  Spelling spelling() const { return manual_.grammar == Grammar::getopt ? Spelling::letter : Spelling::dashes; }

  // Stores an option of a job unread, for the parser of jobs.
  bool take_beside(Written& w) {
    const auto is_row = [&](const Group& group) {
      return w.row >= group.rows.data() && w.row < group.rows.data() + group.rows.size();
    };
    w.beside = fio() && std::any_of(manual_.beside.begin(), manual_.beside.end(), is_row);
    if (!w.beside) return false;
    if (!w.row->is_called(w.assignment.key)) w.assignment.key = w.row->name();
    if ((!w.row->bare() || w.row->may_stand_alone) && !w.assignment.value) next_word(w.assignment);
    given.options.push_back(std::move(w));
    return true;
  }

  Done take(Written w) {
    if (take_beside(w)) return {};
    auto& a = w.assignment;
    const Row& row = *w.row;
    if (fio()) a.key = fmt::format("--{}", row.name()), a.key_column = 1;
    const bool needs_value = row.takes_value() && !row.value_optional();
    if (needs_value && !a.value) next_word(a);
    if (row.texts.status == Status::not_built) {
      auto e = refused(
          w, fmt::format("{} is not built in fathom yet", fio() ? fmt::format("fio option `{}`", a.key) : a.key),
          std::string(row.texts.note), "omit it");
      e.kind = base::ErrorKind::not_built;
      return not_built(std::move(e));
    }
    if (!row.takes_value() && a.value)
      return mistaken(w, "the option takes no value", fio() ? fmt::format("write `{}`", a.key) : "");
    const bool empty = a.value && a.value->empty() && manual_.grammar != Grammar::getopt;
    if (needs_value && (!a.value || empty) && !is_gone(row))
      return mistaken(w, "a value is missing", fmt::format("write `{}`", Value{row, "", w.spelling}.with(row.value())));
    given.help |= has_item("help usage version", row.name());
    given.options.push_back(std::move(w));
    return fio() ? apply(given.options.back()) : Done();
  }

  Done not_built(base::Error e) {
    if (!fio()) return e;
    given.not_built.push_back(std::move(e));
    return {};
  }

  base::Error mistaken(const Written& w, const std::string& what, std::string help) const {
    const auto& a = w.assignment;
    if (!fio()) return refused(w, fmt::format("{}: {}", a.key, what), "", std::move(help));
    return error_at(a, a.value.value_or(""), wrong(what, std::string(w.row->texts.help), std::move(help), {}));
  }

  void next_word(Assignment& a) {
    const bool never_dashes = manual_.grammar == Grammar::exact || fio();
    if (at_ + 1 >= args_.size() || (never_dashes && args_[at_ + 1].starts_with("--"))) return;
    a.value = args_[++at_];
    a.value_column = columns_[at_];
    if (!fio()) return;
    a.value_column = static_cast<int>(a.line->text.size()) + 2;
    a.line = line_of(a.line->text + " " + *a.value);
  }

  bool fio() const { return manual_.grammar == Grammar::fio; }

  // With fio's grammar, each word is a line of its place.
  static std::shared_ptr<const SourceLine> line_of(const std::string& text) {
    return std::make_shared<SourceLine>(SourceLine{kCommandLine, 1, text});
  }

  const Manual& manual_;
  std::span<const std::string> args_;
  const Targets& targets_;
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
  Reader reader(manual, args, targets);
  auto& given = reader.given;
  auto done = reader.read();
  if (manual.grammar != Grammar::fio && !given.help)
    for (std::size_t i = 0; done && i < given.options.size(); ++i) done = reader.apply(given.options[i]);
  if (done) return std::move(given);
  given.not_built.push_back(done.error());
  return base::joined(std::move(given.not_built));
}

}  // namespace fathom::options
