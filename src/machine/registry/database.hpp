// SPDX-License-Identifier: Apache-2.0
// SQLite as the registry uses it: one connection, statements prepared once, errors of ours.
//
//   Database database("/dir/names.db", 10s);
//   Statement find(database, "SELECT class FROM entries WHERE name = ?1");
//   auto rows = find.use("finding a name");           // begins anew when `rows` goes
//   for (rows.bind(1, name); rows.next();) use(rows.text(0));
//
//   Transaction change(database, "adding a name");    // the one writer, of all programs
//   change.commit();                                  // durable; without it nothing has happened
//
// Threading: one thread at a time. A connection must not be used on both sides of a fork.
// Failure: timed_out (another program holds the database), io_error (disk, damage), refused (too large).
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "octavo/base/bytes.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace octavo {

class Database {
 public:
  // Made if missing. While another program holds it, each call waits for at most `patience`.
  Database(std::string path, std::chrono::milliseconds patience);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void run(const char* sql, std::string_view doing);
  std::int64_t number(const char* sql, std::string_view doing);
  // What is written is safe when a transaction's commit returns, and readers never wait (WAL).
  void make_durable();
  // Of what was changed or removed so far, also in free pages and the log.
  void leave_no_trace();
  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  [[nodiscard]] sqlite3* get() const noexcept { return handle_; }
  [[noreturn]] void fail(int code, std::string_view doing) const;

 private:
  std::string path_;
  std::chrono::milliseconds patience_;
  sqlite3* handle_ = nullptr;
};

class Rows {
 public:
  Rows(const Database& database, sqlite3_stmt* statement, std::string_view doing) noexcept : database_(database), statement_(statement), doing_(doing) {}
  ~Rows();
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;

  // The bytes must stay until the rows are gone. A number of 64 bits is stored as the signed one of the same bits.
  void bind(int index, std::string_view text);
  void bind(int index, ByteView bytes);
  void bind(int index, std::uint64_t number);
  void bind(int index, double number);

  // The next row; false at the end. A change has happened only then.
  bool next();
  [[nodiscard]] std::string text(int column) const;  // of bytes too
  [[nodiscard]] ByteView bytes(int column) const;    // until next()
  [[nodiscard]] std::uint64_t number(int column) const;
  [[nodiscard]] double real(int column) const;

 private:
  void check(int code) const;
  const Database& database_;
  sqlite3_stmt* statement_;
  std::string_view doing_;
};

class Statement {
 public:
  Statement(const Database& database, const char* sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  [[nodiscard]] Rows use(std::string_view doing) const noexcept { return {database_, statement_, doing}; }

 private:
  const Database& database_;
  sqlite3_stmt* statement_ = nullptr;
};

class Transaction {
 public:
  Transaction(Database& database, std::string_view doing);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  Database& database_;
  std::string_view doing_;
};

}  // namespace octavo
