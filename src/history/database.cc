// SQLite's result codes become errors with a cause and a help. A row per code, so that each has its own help.
#include "history/database.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace fathom::history {
namespace {

constexpr int kPrimary = 0xff;  // bits of the code without its extension

struct Reason {
  int code;
  base::ErrorKind kind;
  std::string_view what, help;
};
constexpr Reason kReasons[] = {
    {SQLITE_BUSY, base::ErrorKind::io, "another process is writing", "repeat the command when it has ended"},
    {SQLITE_LOCKED, base::ErrorKind::io, "another process is writing", "repeat the command when it has ended"},
    {SQLITE_FULL, base::ErrorKind::io, "no space left", "free space on its file system, or use --history=FILE"},
    {SQLITE_READONLY, base::ErrorKind::privilege, "the file or its directory cannot be written",
     "use --history=FILE with a file that you can write"},
    {SQLITE_PERM, base::ErrorKind::privilege, "the file or its directory cannot be written",
     "use --history=FILE with a file that you can write"},
    {SQLITE_CANTOPEN, base::ErrorKind::privilege, "the file cannot be opened",
     "check the permissions of the file and its directory, or use --history=FILE"},
    {SQLITE_NOTADB, base::ErrorKind::refused, "the file is not a database", "use --history=FILE with another file"},
    {SQLITE_CORRUPT, base::ErrorKind::refused, "the file is damaged",
     "save what is readable with `sqlite3 FILE .recover`, or use --history=FILE with a new file"},
    {SQLITE_TOOBIG, base::ErrorKind::io, "the result is too large", "store the result in a file"},
};
constexpr Reason kOther{SQLITE_ERROR, base::ErrorKind::io, "", "check the file, or use --history=FILE with a new file"};

// A full disk can also appear as a failed write.
int code_of(sqlite3* connection, int code) {
  const int primary = code & kPrimary;
  return primary == SQLITE_IOERR && sqlite3_system_errno(connection) == ENOSPC ? SQLITE_FULL : primary;
}

base::Error failed(sqlite3* connection, int code, const std::string& path) {
  const int primary = code_of(connection, code);
  const Reason* found = &kOther;
  for (const auto& reason : kReasons)
    if (reason.code == primary) found = &reason;
  base::Error error;
  error.kind = found->kind;
  error.what = fmt::format("history `{}`: {}", path, found->what.empty() ? sqlite3_errstr(primary) : found->what);
  error.cause = primary == SQLITE_BUSY ? fmt::format("waited {} s for it", kWait_ms / 1000)
                                       : std::string(sqlite3_errmsg(connection));
  error.help = found->help;
  error.sys_errno = sqlite3_system_errno(connection);
  return error;
}

// SQLite's own check of the first bytes lets small files pass: it takes a file of less than a page for an empty database,
// and overwrites it.
base::Expected<void> check_head(const std::string& path) {
  constexpr std::string_view kMagic{"SQLite format 3\0", 16};
  std::ifstream file(path, std::ios::binary);
  if (!file) return base::system_error(fmt::format("history `{}`", path), errno);
  std::string head(kMagic.size(), '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  if (file.gcount() == 0 || (file.gcount() == static_cast<std::streamsize>(head.size()) && head == kMagic)) return {};
  base::Error error;
  error.kind = base::ErrorKind::refused;
  error.what = fmt::format("history `{}`: the file is not a database", path);
  error.cause = "its first bytes are not those of an SQLite file";
  error.help = "use --history=FILE with another file";
  return error;
}

// SQLite would also take a block device for an empty database.
base::Expected<void> check_file(const std::string& path, Database::Access access) {
  struct stat file {};
  if (::stat(path.c_str(), &file) != 0) {
    if (errno != ENOENT) return base::system_error(fmt::format("history `{}`", path), errno);
    if (access == Database::Access::created) return {};
    base::Error error;
    error.what = fmt::format("history `{}`: no such file", path);
    error.cause = "no run has been kept there";
    error.help = "keep a run with `fathom run --keep`, or add a result with `fathom history add RESULT.json`";
    return error;
  }
  if (S_ISREG(file.st_mode)) return check_head(path);
  base::Error error;
  error.kind = base::ErrorKind::refused;
  error.what = fmt::format("history `{}`: not a regular file", path);
  error.help = "use --history=FILE with another file";
  return error;
}

}  // namespace

base::Expected<bool> Statement::step() {
  const int code = sqlite3_step(prepared_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return failed(connection_, code, path_);
}

base::Expected<void> Statement::run() {
  const auto row = step();
  if (!row) return row.error();
  reset();
  return {};
}

std::string Statement::text(int column) const {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(prepared_.get(), column));
  const int length = sqlite3_column_bytes(prepared_.get(), column);
  return bytes == nullptr ? std::string() : std::string(bytes, static_cast<std::size_t>(length));
}

base::Expected<Database> Database::open(const std::string& path, Access access) {
  if (auto ok = check_file(path, access); !ok) return ok.error();
  std::error_code unknown;
  const auto absolute = std::filesystem::absolute(path, unknown).string();  // SQLite gives `:memory:` a meaning
  sqlite3* connection = nullptr;
  const int flags = SQLITE_OPEN_READWRITE | (access == Access::created ? SQLITE_OPEN_CREATE : 0);
  const int code = sqlite3_open_v2(absolute.c_str(), &connection, flags, nullptr);
  Database database(connection, path);
  if (code != SQLITE_OK) return failed(connection, code, path);
  sqlite3_extended_result_codes(connection, 1);
  sqlite3_busy_timeout(connection, kWait_ms);
  // The file may be damaged, or come from elsewhere.
  if (auto ok = database.execute("PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON");
      !ok)
    return ok.error();
  return database;
}

base::Expected<Statement> Database::prepare(std::string_view sql) {
  sqlite3_stmt* prepared = nullptr;
  const int code = sqlite3_prepare_v2(connection_.get(), sql.data(), static_cast<int>(sql.size()), &prepared, nullptr);
  if (code != SQLITE_OK) return failed(connection_.get(), code, path_);
  return Statement(connection_.get(), prepared, path_);
}

base::Expected<void> Database::execute(const char* sql) {
  const int code = sqlite3_exec(connection_.get(), sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return failed(connection_.get(), code, path_);
  return {};
}

base::Expected<std::int64_t> Database::number(std::string_view sql) {
  auto query = prepare(sql);
  if (!query) return query.error();
  const auto row = query->step();
  if (!row) return row.error();
  return *row ? query->number(0) : 0;
}

base::Expected<Transaction> Transaction::begin(Database& database) {
  if (auto ok = database.execute("BEGIN IMMEDIATE"); !ok) return ok.error();
  return Transaction(database);
}

Transaction::~Transaction() {
  if (database_ != nullptr) (void)database_->execute("ROLLBACK");
}

base::Expected<void> Transaction::commit() {
  auto done = database_->execute("COMMIT");
  if (done) database_ = nullptr;
  return done;
}

}  // namespace fathom::history
