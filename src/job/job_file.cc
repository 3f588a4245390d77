// The INI of job files. `[name]` begins a section. `key=value` or a bare key belongs to it. `;` and `#` begin a comment
// anywhere in a line (also inside a value, as in fio). `include FILE` inserts that file's options. An included file is
// searched first as written, then in the directory of the including file. It has no sections.
#include "job/job_file.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text/parse.h"
#include "job/option.h"

namespace fathom::job {
namespace {

constexpr std::size_t kDeepestInclude = 16;
constexpr std::size_t kMostIncludes = 1000;  // limits nested includes, which multiply

using Line = std::shared_ptr<const SourceLine>;

int column_of(const SourceLine& line, std::string_view part) {
  return static_cast<int>(part.data() - line.text.data()) + 1;
}

base::SourcePlace place(const SourceLine& line, std::string_view part) {
  return place_of(line, column_of(line, part), part.size());
}

class Reader {
 public:
  explicit Reader(const Environment& env) : env_(env) {}

  base::Expected<void> text(const std::string& text, const std::string& file) {
    stack_.push_back(file);
    std::size_t begin = 0;
    int number = 0;
    while (begin < text.size()) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      auto line = std::make_shared<SourceLine>(SourceLine{file, ++number, text.substr(begin, end - begin)});
      if (!line->text.empty() && line->text.back() == '\r') line->text.pop_back();
      if (auto done = one_line(line); !done) return done;
      begin = end + 1;
    }
    stack_.pop_back();
    return {};
  }

  std::vector<Section> take() { return std::move(sections_); }

 private:
  base::Expected<void> one_line(const Line& line) {
    const std::string_view whole = line->text;
    const std::string_view lead = base::text::trim(whole);
    if (!lead.empty() && lead.front() == '[') return header(line, lead);
    const std::string_view body = base::text::trim(whole.substr(0, whole.find_first_of(";#")));
    if (body.empty()) return {};
    constexpr std::string_view kInclude = "include";
    if (body.substr(0, kInclude.size()) == kInclude && body.size() > kInclude.size() &&
        (body[kInclude.size()] == ' ' || body[kInclude.size()] == '\t'))
      return include(line, base::text::trim(body.substr(kInclude.size())));
    return assignment(line, body);
  }

  base::Expected<void> header(const Line& line, std::string_view lead) {
    if (stack_.size() > 1)
      return usage_error("a section in an included file", "an included file has options only",
                         "remove the section's name", place(*line, lead));
    const std::size_t close = lead.find(']');
    if (close == std::string_view::npos)
      return usage_error("the closing `]` is missing", "a section's name is between `[` and `]`",
                         fmt::format("write `{}]`", base::text::trim(lead.substr(0, lead.find_first_of(";#")))),
                         place(*line, lead));
    const std::string_view name = base::text::trim(lead.substr(1, close - 1));
    if (name.empty())
      return usage_error("a section without a name", "a section's name is the name of the job",
                         "write for example `[job1]`", place(*line, lead.substr(0, close + 1)));
    const std::string_view rest = base::text::trim(lead.substr(close + 1));
    if (!rest.empty() && rest.front() != ';' && rest.front() != '#')
      return usage_error("text after a section's name", "", "write the text on the next line, or after a `;`",
                         place(*line, rest));
    Section section;
    section.name = name;
    section.global = name == "global";
    section.place = {section.name, std::nullopt, line, column_of(*line, name), 1};
    sections_.push_back(std::move(section));
    return {};
  }

  base::Expected<void> assignment(const Line& line, std::string_view body) {
    if (sections_.empty())
      return usage_error(fmt::format("`{}` is before the first section", body),
                         "an option belongs to a job or to [global]",
                         "write `[global]` or `[job1]` on a line before it", place(*line, body));
    Assignment a;
    a.line = line;
    const std::size_t equals = body.find('=');
    const std::string_view key = base::text::trim(body.substr(0, equals));
    a.key = key;
    a.key_column = column_of(*line, key.empty() ? body : key);
    if (key.empty()) return usage_error("a value without an option", "", "write `option=value`", place(*line, body));
    if (equals != std::string_view::npos) {
      const std::string_view value = base::text::trim(body.substr(equals + 1));
      a.value = std::string(value);
      a.value_column = value.empty() ? column_of(*line, body) + static_cast<int>(equals) + 1 : column_of(*line, value);
    } else if (const std::size_t space = key.find_first_of(" \t");
               space != std::string_view::npos && is_built(find_option(key.substr(0, space)))) {
      return usage_error(fmt::format("`{}`: a `=` is missing", key), "an option needs a `=` before its value",
                         fmt::format("write `{}={}`", key.substr(0, space), base::text::trim(key.substr(space))),
                         place(*line, body));
    }
    sections_.back().options.push_back(std::move(a));
    return {};
  }

  base::Expected<void> include(const Line& line, std::string_view name) {
    const auto at = place(*line, name);
    if (sections_.empty())
      return usage_error("`include` is before the first section", "", "write `[global]` on a line before it", at);
    std::string path(name);
    auto text_of = env_.read_file(path);
    const std::size_t slash = line->file.rfind('/');
    if (!text_of && name.front() != '/' && slash != std::string::npos) {
      const std::string beside = line->file.substr(0, slash + 1) + path;
      if (auto second = env_.read_file(beside)) {
        text_of = std::move(second);
        path = beside;
      }
    }
    if (!text_of) {
      base::Error e = text_of.error();
      e.what = fmt::format("include {}: {}", name, e.what);
      e.help = "name a file relative to this one or to the current directory";
      e.place = at;
      return e;
    }
    if (std::find(stack_.begin(), stack_.end(), path) != stack_.end())
      return usage_error(fmt::format("include {}: the file includes itself", name),
                         fmt::format("{} is already being read", path), "remove this line", at);
    read_bytes_ += text_of->size();
    if (read_bytes_ > kMostJobFile_bytes || ++includes_ > kMostIncludes)
      return usage_error(fmt::format("include {}: the included files exceed the limit", name),
                         fmt::format("the limit is {} files and {} MiB", kMostIncludes, kMostJobFile_bytes >> 20),
                         "include less", at);
    if (stack_.size() >= kDeepestInclude)
      return usage_error(fmt::format("include {}: nested too deeply", name), "",
                         "include fewer files from included files", at);
    return text(*text_of, path);
  }

  const Environment& env_;
  std::vector<std::string> stack_;
  std::vector<Section> sections_;
  std::size_t read_bytes_ = 0, includes_ = 0;  // totals over included files
};

}  // namespace

base::Expected<std::vector<Section>> read_job_text(const std::string& text, const std::string& file_name,
                                                   const Environment& env) {
  Reader reader(env);
  if (auto done = reader.text(text, file_name); !done) return done.error();
  return reader.take();
}

base::Expected<std::vector<Section>> read_job_file(const std::string& path, const Environment& env) {
  auto text = env.read_file(path);
  if (!text) {
    base::Error e = text.error();
    if (e.help.empty()) e.help = "name a job file, or write the job as options: --name=job1 --rw=randread --size=1g";
    return e;
  }
  return read_job_text(*text, path, env);
}

}  // namespace fathom::job
