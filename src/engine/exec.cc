// exec: a program that runs as long as its job does. Each I/O checks for 50 ms whether the program still runs. The job
// is over when the program has ended. If the job ends first, the program receives SIGTERM, and is killed after
// grace_time=.
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <optional>
#include <sstream>
#include <utility>

#include "base/files/output_file.h"
#include "base/system/subprocess.h"
#include "base/time.h"
#include "engine/parts.h"
#include "io/options/exec.h"

namespace fathom::engine {
namespace {

constexpr int kLook_ms = 50;

struct Program : CallState {
  std::optional<base::system::Subprocess> process;
  std::string name;
  std::optional<base::files::Stream> out, err;
  int grace_ms = 0;
};

// Data that the child needs between fork and exec.
thread_local Program* starting = nullptr;

// A worker leaves signals to its parent. The program must handle signals itself.
void in_child() {
  sigset_t none;
  sigemptyset(&none);
  for (const int signal : {SIGINT, SIGTERM, SIGQUIT}) ::signal(signal, SIG_DFL);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (const auto& [stream, file] : {std::pair(STDOUT_FILENO, &starting->out), {STDERR_FILENO, &starting->err}})
    if (*file)
      if (const auto fd = (*file)->open()) ::dup2(*fd, stream);
}

std::string with_facts(const std::string& text, const JobFacts& job) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char next = text[i] == '%' && i + 1 < text.size() ? text[i + 1] : 0;
    if (next == 'r') out += std::to_string(job.runtime_ns / 1'000'000'000);
    if (next == 'n') out += job.name;
    if (next == 'r' || next == 'n')
      ++i;
    else
      out += text[i];
  }
  return out;
}

base::Expected<base::files::Stream> output_to(const std::string& path) {
  base::files::NamedFiles none;
  auto place = base::files::look_at({"std_redirect", path, nullptr, true}, none);
  if (!place) return place.error();
  return base::files::Stream(std::move(*place));
}

std::vector<FileBeside> output_files(const io::EngineOptions& options, const std::string& job,
                                     std::span<const std::string>) {
  const auto name = base::files::file_name_of(job);
  if (!options.of<io::ExecOptions>().redirects) return {};
  return {{name + ".stdout"}, {name + ".stderr"}};
}

base::Expected<void> prepare_exec(const Setup& setup, CallContext& context) {
  const auto& options = setup.options.of<io::ExecOptions>();
  auto program = std::make_unique<Program>();
  program->name = options.program;
  program->grace_ms = static_cast<int>(options.grace_s * 1000);
  if (const auto files = output_files(setup.options, setup.job.name, {}); !files.empty()) {
    auto out = output_to(files[0].path), err = output_to(files[1].path);
    if (!out || !err) return (out ? err : out).error();
    program->out = std::move(*out), program->err = std::move(*err);
  }
  std::vector<std::string> args{options.program};
  std::istringstream arguments(with_facts(options.arguments, setup.job));
  for (std::string word; arguments >> word;) args.push_back(word);
  starting = program.get();
  auto held = base::system::Subprocess::hold(args, base::system::Subprocess::Orphan::killed, in_child);
  starting = nullptr;
  if (!held) return held.error();
  program->process.emplace(std::move(*held));
  context.own = std::move(program);
  return {};
}

base::Expected<void> begin_exec(CallContext& context) {
  Program& program = context.state<Program>();
  const int err = program.process->let_go();
  if (err == 0) return {};
  auto e = base::system_error("execute `" + program.name + "`", err);
  e.help = "write program= with its path, and its arguments in arguments=";
  return e;
}

std::int32_t exec_io(CallContext& context, const io::Request&, std::byte*) {
  return context.state<Program>().process->wait(kLook_ms) ? kWorkIsDone : kNothingMoved;
}

void end_program(CallContext& context) {
  if (context.own == nullptr) return;
  Program& program = context.state<Program>();
  program.process->send(SIGTERM);
  const std::uint64_t end_ns = base::monotonic_ns() + static_cast<std::uint64_t>(program.grace_ms) * 1'000'000;
  while (!program.process->wait(10) && base::monotonic_ns() < end_ns) {
  }
}  // the owner's destructor kills a program that still runs

}  // namespace

const Calls exec_calls{exec_io, prepare_exec, end_program, begin_exec, output_files};

}  // namespace fathom::engine
