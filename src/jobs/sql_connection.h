// SPDX-License-Identifier: Apache-2.0
// What the SQL databases of jobs have in common: statements with values bound in order. Their SQL
// is what SQLite and PostgreSQL share, with "?" for a value and PostgreSQL's FOR UPDATE for rows
// that are about to be changed (SQLite, which has one writer at a time, leaves it out). Inside this
// folder failures travel as exceptions, up to the call of the job store.
#pragma once

#include <absl/status/status.h>

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "jobs/failure_reason.h"
#include "jobs/job_store.h"

namespace glint {

/// A failure that is not the database's on its way to the call of the job store.
class StatusException final : public std::exception {
 public:
  explicit StatusException(absl::Status status) : status_(std::move(status)) {}
  const absl::Status& status() const { return status_; }
  const char* what() const noexcept override { return "StatusException"; }

 private:
  absl::Status status_;
};

/// A statement on its way: values in, rows out.
class SqlStatement {
 public:
  virtual ~SqlStatement() = default;

  virtual void BindInteger(std::int64_t value) = 0;
  virtual void BindNumber(double value) = 0;
  virtual void BindText(std::string_view text) = 0;
  virtual void BindBytes(std::string_view bytes) = 0;
  virtual void BindNull() = 0;

  /// Goes to the next row. @return whether there is one
  virtual bool Next() = 0;
  /// Runs to the end. @return rows that were changed
  virtual std::int64_t Run() = 0;

  virtual std::int64_t Integer(int column) const = 0;
  virtual double Number(int column) const = 0;
  /// Text or bytes; empty for NULL.
  virtual std::string Text(int column) const = 0;
  virtual bool IsNull(int column) const = 0;
};

/// One connection; serves one thread at a time.
class SqlConnection {
 public:
  virtual ~SqlConnection() = default;

  /// @param sql  with static lifetime
  virtual std::unique_ptr<SqlStatement> Statement(const char* sql) = 0;
  /// The next number of "job" or "change": greater than every earlier one of its kind.
  virtual std::int64_t NextNumber(std::string_view kind) = 0;
  /// As many of them, in order.
  virtual std::vector<std::int64_t> NextNumbers(std::string_view kind, std::int64_t count) {
    std::vector<std::int64_t> numbers;
    while (std::ssize(numbers) < count) numbers.push_back(NextNumber(kind));
    return numbers;
  }
  /// A job was changed; said to others when the transaction is committed.
  virtual void NoteChange(std::string_view scan_id, std::int64_t change, JobState state) = 0;
  /// How far queued jobs are counted one by one; beyond it their numbers are compared instead.
  virtual std::int64_t most_counted() const = 0;
};

/// One use of a statement. Values are bound in order; it is over at the end, so that it holds no
/// lock longer than its use.
class SqlQuery {
 public:
  /// @param sql  with static lifetime
  SqlQuery(SqlConnection& connection, const char* sql) : statement_(connection.Statement(sql)) {}

  template <class... Values>
  void Bind(const Values&... values) {
    (BindNext(values), ...);
  }
  /// Binds bytes instead of text.
  void BindBytes(std::string_view bytes) { statement_->BindBytes(bytes); }

  /// Goes to the next row. @return whether there is one
  bool Next() { return statement_->Next(); }
  /// Runs to the end. @return rows that were changed
  std::int64_t Run() { return statement_->Run(); }

  std::int64_t Integer(int column) const { return statement_->Integer(column); }
  double Number(int column) const { return statement_->Number(column); }
  /// Text or bytes; empty for NULL.
  std::string Text(int column) const { return statement_->Text(column); }
  bool IsNull(int column) const { return statement_->IsNull(column); }

 private:
  void BindNext(std::string_view text) { statement_->BindText(text); }
  void BindNext(const char* text) { statement_->BindText(text); }
  void BindNext(const std::string& text) { statement_->BindText(text); }
  void BindNext(double value) { statement_->BindNumber(value); }
  template <std::integral Integer>
  void BindNext(Integer value) {
    statement_->BindInteger(static_cast<std::int64_t>(value));
  }
  template <class Value>
  void BindNext(const std::optional<Value>& value) {
    if (value) {
      BindNext(*value);
    } else {
      statement_->BindNull();
    }
  }

  std::unique_ptr<SqlStatement> statement_;
};

}  // namespace glint
