// An SQLite database: a connection, its statements, and errors as values. A connection waits kWait_ms for another
// process that writes. Sources: sqlite.org/c3ref, sqlite.org/rescode.html. Thread rule: one thread.
#pragma once
#include <sqlite3.h>

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"

namespace fathom::history {

inline constexpr int kWait_ms = 5000;

class Statement {
 public:
  Statement(sqlite3* connection, sqlite3_stmt* prepared, std::string path)
      : connection_(connection), prepared_(prepared, &sqlite3_finalize), path_(std::move(path)) {}

  template <std::integral T>
  void bind(int at, T value) {
    sqlite3_bind_int64(prepared_.get(), at, static_cast<sqlite3_int64>(value));
  }
  void bind(int at, double value) { sqlite3_bind_double(prepared_.get(), at, value); }
  void bind(int at, std::optional<double> value) {
    value ? bind(at, *value) : static_cast<void>(sqlite3_bind_null(prepared_.get(), at));
  }
  // The text must live until the last step().
  void bind(int at, std::string_view text) {
    sqlite3_bind_text64(prepared_.get(), at, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8);
  }
  void bind_bytes(int at, std::string_view bytes) {
    sqlite3_bind_blob64(prepared_.get(), at, bytes.data(), bytes.size(), SQLITE_STATIC);
  }
  // Binds the values to the parameters 1, 2 ...
  template <class... T>
  void bind_all(const T&... values) {
    int at = 0;
    (bind(++at, values), ...);
  }
  void reset() { sqlite3_reset(prepared_.get()); }

  // True: there is a row.
  base::Expected<bool> step();
  // For a statement without rows.
  base::Expected<void> run();

  // Of the row, from 0.
  std::int64_t number(int column) const { return sqlite3_column_int64(prepared_.get(), column); }
  std::uint64_t count(int column) const { return static_cast<std::uint64_t>(number(column)); }
  std::optional<double> real(int column) const {
    if (sqlite3_column_type(prepared_.get(), column) == SQLITE_NULL) return std::nullopt;
    return sqlite3_column_double(prepared_.get(), column);
  }
  std::string text(int column) const;

 private:
  sqlite3* connection_;
  std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)> prepared_;
  std::string path_;
};

class Database {
 public:
  enum class Access { existing, created };  // created: makes an empty file if the file does not exist
  // Reads and writes, or only reads if the file cannot be written.
  static base::Expected<Database> open(const std::string& path, Access access);

  base::Expected<Statement> prepare(std::string_view sql);
  // Statements without parameters and rows.
  base::Expected<void> execute(const char* sql);
  // The number that a query yields.
  base::Expected<std::int64_t> number(std::string_view sql);
  std::int64_t last_id() const { return sqlite3_last_insert_rowid(connection_.get()); }
  const std::string& path() const { return path_; }

 private:
  Database(sqlite3* connection, std::string path) : connection_(connection, &sqlite3_close), path_(std::move(path)) {}

  std::unique_ptr<sqlite3, decltype(&sqlite3_close)> connection_;
  std::string path_;
};

// Begins a transaction that writes, and undoes it unless commit() succeeded.
class Transaction {
 public:
  static base::Expected<Transaction> begin(Database& database);
  Transaction(Transaction&& other) noexcept : database_(std::exchange(other.database_, nullptr)) {}
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();
  base::Expected<void> commit();

 private:
  explicit Transaction(Database& database) : database_(&database) {}

  Database* database_;
};

}  // namespace fathom::history
