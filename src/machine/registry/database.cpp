// SPDX-License-Identifier: Apache-2.0
#include "machine/registry/database.hpp"

#include <sqlite3.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <new>

#include "octavo/base/error.hpp"

namespace octavo {

namespace {

constexpr int most_bytes = 32 << 20;  // of a value: a larger one in the file is damage, and is not read

std::string seconds_text(std::chrono::milliseconds time) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3g s", std::chrono::duration<double>(time).count());
  return text.data();
}

}  // namespace

Database::Database(std::string path, std::chrono::milliseconds patience) : path_(std::move(path)), patience_(patience) {
  int code = ::sqlite3_open_v2(path_.c_str(), &handle_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
  if (handle_ == nullptr) throw std::bad_alloc();
  try {
    if (code != SQLITE_OK) fail(code, "opening it");
    ::sqlite3_extended_result_codes(handle_, 1);
    ::sqlite3_busy_timeout(handle_, static_cast<int>(patience_.count()));
    ::sqlite3_limit(handle_, SQLITE_LIMIT_LENGTH, most_bytes);
    run("PRAGMA trusted_schema = OFF", "opening it");
    run("PRAGMA secure_delete = ON", "opening it");  // what is removed is overwritten: it may have been a secret
  } catch (...) {
    ::sqlite3_close(handle_);
    throw;
  }
}

Database::~Database() { ::sqlite3_close(handle_); }

void Database::make_durable() {
  constexpr auto doing = "setting it to write ahead";
  auto writes_ahead = [&] {
    Statement mode(*this, "PRAGMA journal_mode");
    auto rows = mode.use(doing);
    return rows.next() && rows.text(0) == "wal";
  };
  // SQLite does not wait where two programs change the mode of a new file at once.
  for (auto end = std::chrono::steady_clock::now() + patience_; !writes_ahead();) {
    int code = ::sqlite3_exec(handle_, "PRAGMA journal_mode = WAL", nullptr, nullptr, nullptr);
    if (code == SQLITE_OK && !writes_ahead())
      throw not_supported("the file system of '" + path_ + "' cannot hold a database that several programs use at once", "Name a directory on a local disk");
    if (code == SQLITE_OK) break;
    if ((code & 0xFF) != SQLITE_BUSY || std::chrono::steady_clock::now() > end) fail(code, doing);
    ::sqlite3_sleep(5);
  }
  run("PRAGMA synchronous = FULL", doing);
}

void Database::leave_no_trace() {
  run("VACUUM", "writing it anew");
  run("PRAGMA wal_checkpoint(TRUNCATE)", "ending its log");
}

void Database::run(const char* sql, std::string_view doing) {
  if (int code = ::sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr); code != SQLITE_OK) fail(code, doing);
}

std::int64_t Database::number(const char* sql, std::string_view doing) {
  Statement statement(*this, sql);
  auto rows = statement.use(doing);
  return rows.next() ? static_cast<std::int64_t>(rows.number(0)) : 0;
}

void Database::fail(int code, std::string_view doing) const {
  std::string what = "the registry of names '" + path_ + "', " + std::string(doing) + ": ";
  int system = ::sqlite3_system_errno(handle_);
  switch (code & 0xFF) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
      throw timed_out(what + "another program has held it for " + seconds_text(patience_),
                      "`fuser " + path_ + "` names the programs that use it; one of them is stopped or very slow");
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      throw io_error(what + "the file is damaged or no database (" + ::sqlite3_errmsg(handle_) + ")",
                     "Take it from a copy, or save what can be read with `sqlite3 " + path_ + " .recover`; the states of the objects are beside it");
    case SQLITE_FULL: throw io_error_from(ENOSPC, what + "writing");
    case SQLITE_NOMEM: throw std::bad_alloc();
    case SQLITE_TOOBIG: throw refused(what + "a value is larger than " + format_bytes(most_bytes), "Name the object with less, and give it the rest in a call");
    default: break;
  }
  if (system != 0) throw io_error_from(system, what + ::sqlite3_errmsg(handle_));
  throw io_error(what + ::sqlite3_errmsg(handle_) + " (SQLite " + std::to_string(code) + ")", "Check the permissions and the disk");
}

Rows::~Rows() {
  ::sqlite3_reset(statement_);
  ::sqlite3_clear_bindings(statement_);
}

void Rows::check(int code) const {
  if (code != SQLITE_OK) database_.fail(code, doing_);
}

void Rows::bind(int index, std::string_view text) {
  check(::sqlite3_bind_text64(statement_, index, text.empty() ? "" : text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8));
}
void Rows::bind(int index, ByteView bytes) {
  check(bytes.empty() ? ::sqlite3_bind_zeroblob(statement_, index, 0) : ::sqlite3_bind_blob64(statement_, index, bytes.data(), bytes.size(), SQLITE_STATIC));
}
void Rows::bind(int index, std::uint64_t number) { check(::sqlite3_bind_int64(statement_, index, static_cast<std::int64_t>(number))); }
void Rows::bind(int index, double number) { check(::sqlite3_bind_double(statement_, index, number)); }

bool Rows::next() {
  int code = ::sqlite3_step(statement_);
  if (code != SQLITE_ROW && code != SQLITE_DONE) database_.fail(code, doing_);
  return code == SQLITE_ROW;
}

ByteView Rows::bytes(int column) const {
  const void* data = ::sqlite3_column_blob(statement_, column);
  return {static_cast<const std::byte*>(data), static_cast<std::size_t>(::sqlite3_column_bytes(statement_, column))};
}
std::string Rows::text(int column) const {
  auto view = bytes(column);
  return {reinterpret_cast<const char*>(view.data()), view.size()};
}
std::uint64_t Rows::number(int column) const { return static_cast<std::uint64_t>(::sqlite3_column_int64(statement_, column)); }
double Rows::real(int column) const { return ::sqlite3_column_double(statement_, column); }

Statement::Statement(const Database& database, const char* sql) : database_(database) {
  int code = ::sqlite3_prepare_v3(database.get(), sql, -1, SQLITE_PREPARE_PERSISTENT, &statement_, nullptr);
  if (code != SQLITE_OK) database.fail(code, "preparing to read it");
}
Statement::~Statement() { ::sqlite3_finalize(statement_); }

// IMMEDIATE: it waits here for other writers, never at the end.
Transaction::Transaction(Database& database, std::string_view doing) : database_(database), doing_(doing) { database.run("BEGIN IMMEDIATE", doing); }
Transaction::~Transaction() {
  if (::sqlite3_get_autocommit(database_.get()) == 0) ::sqlite3_exec(database_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
}
void Transaction::commit() { database_.run("COMMIT", doing_); }

}  // namespace octavo
