// All files are read before the bundle is written, and it gets its name when it is complete.
#include "cli/bundle_commands/bundle_command.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <utility>
#include <vector>

#include "base/files/output_file.h"
#include "base/text/printable.h"
#include "bundle/contents.h"
#include "bundle/job_text.h"
#include "bundle/reach.h"
#include "cli/bundle_commands/evidence.h"
#include "cli/bundle_commands/opened.h"
#include "cli/help.h"
#include "cli/manuals.h"
#include "cli/report_commands/read_file.h"
#include "cli/report_commands/report_file.h"
#include "cli/show_error.h"
#include "cli/subcommand.h"
#include "import/result_json.h"
#include "options/rows.h"

namespace fathom::cli::bundle_commands {
namespace {

using base::text::printable;

constexpr std::string_view kProgram = "fathom bundle";

struct BundleAsked {
  std::string output, sign;
  std::vector<std::string> add;
  bool logs = true, force = false;
};

constexpr options::Row kBundleRows[] = {
    options::text<&BundleAsked::output>({"output o=FILE", "", "write the bundle to FILE (required)"}),
    options::text<&BundleAsked::sign>(
        {"sign=KEY.pem", "", "sign the manifest with this private Ed25519 key (PEM, not encrypted)"}),
    options::append<&BundleAsked::add>({"add=FILE", "", "add FILE as evidence (repeatable)"}),
    options::boolean<&BundleAsked::logs>(
        {"logs=BOOL", "1", "add the logs that the jobs wrote, if they are in the working directory"}),
    options::flag<&BundleAsked::force>({"force", "", "overwrite an existing file"}),
};
constexpr options::Group kBundleOptions[] = {{"", kBundleRows}};

base::Error refused_output(const std::string& path) {
  base::Error error;
  error.kind = base::ErrorKind::refused;
  error.what = fmt::format("--output: `{}` already exists", printable(path));
  error.help = "name another file, or add --force to overwrite it";
  return error;
}

base::Expected<void> check_words(const Given& given, const BundleAsked& asked) {
  if (given.arguments.empty())
    return usage_error("no result is given", "", "write `fathom bundle RESULT.json -o FILE.zip`");
  if (given.arguments.size() > 1)
    return usage_error(fmt::format("unexpected argument `{}`", printable(given.arguments[1])),
                       "a bundle has one result", "add other files as evidence: --add=FILE");
  if (asked.output.empty()) return usage_error("--output is missing", "a bundle is a file", "write `-o FILE.zip`");
  if (asked.output == "-")
    return usage_error("--output: `-` is no file name", "a bundle is not written to standard output",
                       "write `-o FILE.zip`");
  struct stat old = {};
  const bool is_there = ::stat(asked.output.c_str(), &old) == 0 && S_ISREG(old.st_mode) && old.st_size > 0;
  return is_there && !asked.force ? refused_output(asked.output) : base::Expected<void>();
}

// What the other machine has to know before it runs the job.
void show_notes(const bundle::Made& made, const std::string& job_text) {
  for (const auto& permission : made.omitted)
    show_line(fmt::format("omitted from the job, because it permits writes: {}", printable(permission)), kProgram);
  const auto reaching = bundle::reach_of(job_text);
  if (!reaching) return;
  for (const auto& reach : *reaching)
    show_line(fmt::format("`{}` {}: `fathom rerun` needs --allow-exec", printable(reach.written), reach.does),
              kProgram);
}

std::string summary(const BundleAsked& asked, const bundle::Made& made) {
  std::size_t width = 0;
  for (const auto& member : made.manifest.members) width = std::max(width, printable(member.name).size());
  std::string out = fmt::format("{}: {} bytes, {}\n", printable(asked.output), made.bytes.size(),
                                asked.sign.empty() ? "not signed" : "signed with " + printable(asked.sign));
  for (const auto& member : made.manifest.members)
    out += fmt::format("  {:<{}}  {:>9} bytes\n", printable(member.name), width, member.size_bytes);
  return out;
}

base::Expected<std::string> make_bundle(const Given& given, const BundleAsked& asked) {
  if (auto ok = check_words(given, asked); !ok) return ok.error();
  const auto& path = given.arguments[0];
  report_commands::Outputs outputs{.named = {}, .overwrite = asked.force};
  outputs.named.add("the result", path);
  if (!asked.sign.empty()) outputs.named.add("the key", asked.sign);
  const auto text = report_commands::read_result_file(path);
  if (!text) return text.error();
  const auto run = import::read_result_json(*text, path == "-" ? "<standard input>" : path);
  if (!run) return run.error();
  const auto job = bundle::job_text(*run);
  if (!job) return job.error();
  auto key = read_key_file(asked.sign);
  if (!key) return key.error();
  auto evidence = read_evidence(asked.add, asked.logs, *run, outputs.named,
                                [](const std::string& why) { show_line(why, kProgram); });
  if (!evidence) return evidence.error();
  auto place = outputs.look("--output", asked.output);
  if (!place) return place.error();
  const auto program = program_facts({}, false);
  const auto made = bundle::make({*run, *text, program.version, program.commit, std::move(*evidence), std::move(*key)});
  if (!made) return made.error();
  const bool is_file = place->kind != base::files::PlaceKind::open;
  base::files::Document document(std::move(*place));
  if (auto ok = document.replace(made->bytes); !ok) return ok.error();
  show_notes(*made, job->text);
  return is_file ? summary(asked, *made) : std::string();
}

}  // namespace

const options::Manual& bundle_manual() {
  static constexpr Manual kManual{
      "fathom bundle", "[OPTIONS] RESULT.json -o FILE.zip",
      "Writes a result as one file for another machine: the job, the result with its histograms, the facts of the\n"
      "machine, an HTML report, logs, and the SHA-256 of each. `fathom verify-bundle` checks the file, and\n"
      "`fathom rerun` runs its job. The same input gives the same bytes.\n",
      kBundleOptions};
  return kManual;
}

int bundle_command(std::span<const std::string> args) { return with_options(bundle_manual(), args, make_bundle); }

}  // namespace fathom::cli::bundle_commands
