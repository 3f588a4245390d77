// The session's listener, for a terminal.
#include "cli/run_commands/listener.h"

#include <cstdio>
#include <memory>
#include <span>
#include <string>

#include "cli/run_commands/program_name.h"
#include "cli/run_commands/status_file.h"
#include "cli/show_error.h"
#include "cli/signals.h"
#include "cli/terminal.h"
#include "live/io_line.h"
#include "session/jobs/debug_lines.h"
#include "session/jobs/stamp_feed.h"

namespace fathom::cli::run_commands {
namespace {

// An engine's message. fio prints it on standard output. Under the name fathom, standard output has only the report.
void announce(const std::string& text, bool fio_mode) {
  std::FILE* const to = fio_mode ? stdout : stderr;
  write_text(to, text + "\n");
  std::fflush(to);
}

// --debug=io
session::jobs::StampListener io_printer() {
  return {[](pid_t worker, std::uint64_t first, std::span<const result::IoStamp> stamps, const run::files::Plan& plan) {
            write_text(stdout, live::io_lines(worker, first, stamps, plan));
          },
          [](pid_t worker, std::uint64_t lost) { write_text(stdout, live::io_lost_line(worker, lost)); }};
}

}  // namespace

session::Listener listener_of(const job::Command& command, bool fio_mode, StatusPrinter& status, Output& output) {
  session::Listener listener;
  listener.name = program_name(fio_mode);
  listener.on_settle = status.settle_listener();
  listener.on_progress = status.progress_listener();
  listener.on_second = status.second_listener();
  listener.on_layout = status.layout_listener();
  listener.on_error = [&status, fio_mode](const base::Error& error) {
    status.clear();
    show_error(error, program_name(fio_mode));
  };
  if (fio_mode) listener.on_line = [](const std::string& line) { write_text(stdout, line + "\n"); };
  listener.on_announcement = [&status, fio_mode](const std::string& text) {
    status.clear();
    announce(text, fio_mode);
  };
  listener.status_asked = [dump = StatusFile()] { return take_status_signal() || dump.take(); };
  listener.on_status = [&](const result::Run& so_far) {
    status.clear();
    output.write_so_far(so_far);
  };
  listener.on_measured = [&] { status.clear(); };
  if (session::jobs::debugs(command, "io"))
    listener.read_stamps = [&](std::span<const run::files::Plan> plans) -> std::unique_ptr<session::StampReader> {
      return std::make_unique<session::jobs::StampFeed>(plans, command.debug_jobs, io_printer());
    };
  return listener;
}

}  // namespace fathom::cli::run_commands
