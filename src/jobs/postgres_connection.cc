// SPDX-License-Identifier: Apache-2.0
#include "jobs/postgres_connection.h"

#include <fmt/format.h>
#include <poll.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "base/utf8.h"

namespace glint {
namespace {

using Clock = std::chrono::steady_clock;

constexpr Oid kBytea = 17;  // pg_type.oid of bytea, which never changes
constexpr int kTextFormat = 0;
constexpr int kBinaryFormat = 1;

std::string Trimmed(const char* message) {
  std::string text = message == nullptr ? "" : message;
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  for (char& c : text) {
    if (c == '\n' || c == '\t') c = ' ';
  }
  return text;
}

/// Throws unless the server did what was asked.
void RequireDone(const PGresult* result) {
  const ExecStatusType status = PQresultStatus(result);
  if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK) return;
  const char* code = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  const char* primary = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
  throw PostgresException(code == nullptr ? "" : code,
                          primary == nullptr ? Trimmed(PQresultErrorMessage(result)) : primary);
}

/// Of a column that is a whole number.
std::int64_t IntegerAt(const PGresult* result, int row, int column) {
  std::int64_t value = 0;
  const std::string_view text = PQgetvalue(result, row, column);
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// Values as they are sent, and the result once the statement has run.
class PostgresStatement final : public SqlStatement {
 public:
  PostgresStatement(PostgresConnection& connection, const char* sql)
      : connection_(connection), sql_(sql) {}

  void BindInteger(std::int64_t value) override { Add(std::to_string(value), kTextFormat); }
  void BindNumber(double value) override { Add(fmt::format("{}", value), kTextFormat); }
  /// Text is UTF-8 without zero bytes there.
  void BindText(std::string_view text) override {
    std::string valid = ValidUtf8(text);
    for (auto zero = valid.find('\0'); zero != std::string::npos; zero = valid.find('\0')) {
      valid.replace(zero, 1, "\xEF\xBF\xBD");
    }
    Add(std::move(valid), kTextFormat);
  }
  void BindBytes(std::string_view bytes) override { Add(std::string(bytes), kBinaryFormat); }
  void BindNull() override { values_.push_back({std::nullopt, kTextFormat}); }

  bool Next() override {
    if (!result_) Send();
    return ++row_ < PQntuples(result_.get());
  }
  std::int64_t Run() override {
    Send();
    std::int64_t rows = 0;
    const std::string_view text = PQcmdTuples(result_.get());
    std::from_chars(text.data(), text.data() + text.size(), rows);
    return rows;
  }

  std::int64_t Integer(int column) const override { return IntegerAt(result_.get(), row_, column); }
  double Number(int column) const override {
    return std::strtod(PQgetvalue(result_.get(), row_, column), nullptr);
  }
  std::string Text(int column) const override {
    const char* value = PQgetvalue(result_.get(), row_, column);
    const auto length = static_cast<std::size_t>(PQgetlength(result_.get(), row_, column));
    if (PQftype(result_.get(), column) != kBytea) return {value, length};
    std::size_t bytes = 0;
    const std::unique_ptr<unsigned char, decltype(&PQfreemem)> decoded(
        PQunescapeBytea(reinterpret_cast<const unsigned char*>(value), &bytes), PQfreemem);
    if (!decoded) throw std::bad_alloc();
    return {reinterpret_cast<const char*>(decoded.get()), bytes};
  }
  bool IsNull(int column) const override { return PQgetisnull(result_.get(), row_, column) != 0; }

 private:
  struct Value {
    std::optional<std::string> text;
    int format;
  };

  void Add(std::string text, int format) { values_.push_back({std::move(text), format}); }

  void Send() {
    std::vector<const char*> texts;
    std::vector<int> lengths;
    std::vector<int> formats;
    for (const Value& value : values_) {
      texts.push_back(value.text ? value.text->data() : nullptr);
      lengths.push_back(value.text ? static_cast<int>(value.text->size()) : 0);
      formats.push_back(value.format);
    }
    result_ = connection_.Execute(connection_.Numbered(sql_), texts, lengths, formats);
  }

  PostgresConnection& connection_;
  const char* const sql_;
  std::vector<Value> values_;
  PostgresConnection::Result result_{nullptr, PQclear};
  int row_ = -1;
};

/// libpq's options of a URL by name; null when it is none.
using Options = std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)>;

Options ParseUrl(const std::string& url, std::string& error) {
  char* message = nullptr;
  Options options(PQconninfoParse(url.c_str(), &message), PQconninfoFree);
  error = Trimmed(message);
  PQfreemem(message);
  return options;
}

std::string OptionIn(const Options& options, std::string_view keyword) {
  for (const PQconninfoOption* o = options.get(); o != nullptr && o->keyword != nullptr; ++o) {
    if (keyword == o->keyword && o->val != nullptr) return o->val;
  }
  return "";
}

/// What holds unless the URL or the environment says otherwise: it is found out within seconds that
/// a host does not answer, and that a connection is dead; and a standby is no use.
constexpr std::array<std::array<const char*, 3>, 6> kDefaults = {{
    {"connect_timeout", "5", "PGCONNECT_TIMEOUT"},
    {"target_session_attrs", "read-write", "PGTARGETSESSIONATTRS"},
    {"tcp_user_timeout", "15000", ""},
    {"keepalives_idle", "30", ""},
    {"keepalives_interval", "5", ""},
    {"client_encoding", "UTF8", ""},
}};

}  // namespace

PostgresConnection::PostgresConnection(PostgresServer server)
    : server_(std::move(server)), connection_(nullptr, PQfinish) {
  std::vector<const char*> names = {"fallback_application_name"};
  std::vector<const char*> values = {"glint"};
  for (const auto& [name, value, variable] : kDefaults) {
    if (*variable != 0 && std::getenv(variable) != nullptr) continue;
    names.push_back(name);
    values.push_back(value);
  }
  names.push_back("dbname");  // what follows wins over what stands before: the URL
  values.push_back(server_.url.c_str());
  names.push_back(nullptr);
  values.push_back(nullptr);
  connection_.reset(PQconnectdbParams(names.data(), values.data(), /*expand_dbname=*/1));
  if (!connection_) throw std::bad_alloc();
  if (PQstatus(connection_.get()) != CONNECTION_OK) {
    throw PostgresException("", Trimmed(PQerrorMessage(connection_.get())));
  }
  PQsetnonblocking(connection_.get(), 1);
  PQsetNoticeProcessor(
      connection_.get(), [](void*, const char*) {}, nullptr);
}

PostgresConnection::~PostgresConnection() = default;

std::unique_ptr<SqlStatement> PostgresConnection::Statement(const char* sql) {
  return std::make_unique<PostgresStatement>(*this, sql);
}

std::int64_t PostgresConnection::NextNumber(std::string_view kind) {
  return NextNumbers(kind, 1).front();
}

std::vector<std::int64_t> PostgresConnection::NextNumbers(std::string_view kind,
                                                          std::int64_t count) {
  const Result rows = Execute(
      fmt::format("SELECT nextval('glint_{}_number') FROM generate_series(1, {})", kind, count), {},
      {}, {});
  std::vector<std::int64_t> numbers;
  for (int row = 0; row < PQntuples(rows.get()); ++row) {
    numbers.push_back(IntegerAt(rows.get(), row, 0));
  }
  return numbers;
}

void PostgresConnection::NoteChange(std::string_view scan_id, std::int64_t change, JobState state) {
  changes_.push_back({std::string(scan_id), change, state});
}

void PostgresConnection::Begin() {
  changes_.clear();
  const auto results =
      Execute("BEGIN; SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint");
  begun_ = JobTime(std::chrono::microseconds(IntegerAt(results.back().get(), 0, 0)));
}

std::vector<NotedChange> PostgresConnection::Commit() {
  // NOTIFY behind the transaction: inside of one, it makes all commits take turns.
  std::string sql = "COMMIT";
  for (const NotedChange& noted : changes_) {
    const std::string said =
        fmt::format("{} {} {}", noted.change, Name(noted.state), noted.scan_id);
    const std::unique_ptr<char, decltype(&PQfreemem)> literal(
        PQescapeLiteral(connection_.get(), said.data(), said.size()), PQfreemem);
    if (literal) sql += fmt::format("; NOTIFY {}, {}", kChangesChannel, literal.get());
  }
  const auto results = Execute(sql);
  begun_.reset();
  // The server answers COMMIT with ROLLBACK where a statement of the transaction had failed.
  if (std::string_view(PQcmdStatus(results.front().get())) != "COMMIT") {
    throw PostgresException("25P02", "the transaction was rolled back");
  }
  return std::exchange(changes_, {});
}

void PostgresConnection::Rollback() noexcept {
  begun_.reset();
  changes_.clear();
  if (lost() || PQtransactionStatus(connection_.get()) == PQTRANS_IDLE) return;
  try {
    Execute("ROLLBACK");
  } catch (const std::exception&) {
    lost_ = true;
  }
}

JobTime PostgresConnection::ServerTime() {
  if (begun_) return *begun_;
  const Result now =
      Execute("SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint", {}, {}, {});
  return JobTime(std::chrono::microseconds(IntegerAt(now.get(), 0, 0)));
}

std::vector<PostgresConnection::Result> PostgresConnection::Execute(const std::string& sql) {
  auto results = Finish(PQsendQuery(connection_.get(), sql.c_str()) == 1);
  for (const Result& result : results) RequireDone(result.get());
  if (results.empty()) Lose("the server gave no result");
  return results;
}

PostgresConnection::Result PostgresConnection::Execute(const std::string& sql,
                                                       const std::vector<const char*>& values,
                                                       const std::vector<int>& lengths,
                                                       const std::vector<int>& formats) {
  auto results = Finish(PQsendQueryParams(connection_.get(), sql.c_str(),
                                          static_cast<int>(values.size()), nullptr, values.data(),
                                          lengths.data(), formats.data(), kTextFormat) == 1);
  if (results.empty()) Lose("the server gave no result");
  RequireDone(results.front().get());
  return std::move(results.front());
}

/// Waits for all results of what was sent.
std::vector<PostgresConnection::Result> PostgresConnection::Finish(bool sent) {
  if (!sent) Lose(Trimmed(PQerrorMessage(connection_.get())));
  const auto until = Clock::now() + server_.answer_within;
  Flush(until);
  std::vector<Result> results;
  while (true) {
    while (PQisBusy(connection_.get()) != 0) {
      WaitFor(POLLIN, until);
      Receive();
    }
    Result result(PQgetResult(connection_.get()), PQclear);
    if (!result) break;
    results.push_back(std::move(result));
    if (PQstatus(connection_.get()) == CONNECTION_BAD) break;
  }
  if (PQstatus(connection_.get()) == CONNECTION_BAD) {
    // What the server said last, if it did: that it shuts down, say.
    for (const Result& result : results) RequireDone(result.get());
    Lose(Trimmed(PQerrorMessage(connection_.get())));
  }
  return results;
}

void PostgresConnection::Flush(Clock::time_point until) {
  while (true) {
    const int left = PQflush(connection_.get());
    if (left == 0) return;
    if (left < 0) Lose(Trimmed(PQerrorMessage(connection_.get())));
    WaitFor(POLLIN | POLLOUT, until);
    Receive();
  }
}

void PostgresConnection::WaitFor(short events, Clock::time_point until) {
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now());
    if (left.count() <= 0) {
      lost_ = true;
      throw PostgresException(
          std::string(kNoAnswer),
          fmt::format("the server has not answered for {} s",
                      std::chrono::duration<double>(server_.answer_within).count()));
    }
    pollfd wanted{.fd = socket(), .events = events, .revents = 0};
    const int ready = poll(&wanted, 1, static_cast<int>(left.count()) + 1);
    if (ready > 0) return;
    if (ready < 0 && errno != EINTR) Lose(std::generic_category().message(errno));
  }
}

void PostgresConnection::Receive() {
  if (PQconsumeInput(connection_.get()) != 0) return;
  // PQgetResult still gives what the server said last.
  const Result last(PQgetResult(connection_.get()), PQclear);
  if (last) {
    lost_ = true;
    RequireDone(last.get());
  }
  Lose(Trimmed(PQerrorMessage(connection_.get())));
}

std::optional<std::string> PostgresConnection::NextNotification() {
  const std::unique_ptr<PGnotify, decltype(&PQfreemem)> notification(PQnotifies(connection_.get()),
                                                                     PQfreemem);
  if (!notification) return std::nullopt;
  return notification->extra;
}

void PostgresConnection::Lose(const std::string& message) {
  lost_ = true;
  throw PostgresException("", message);
}

const std::string& PostgresConnection::Numbered(const char* sql) {
  const auto [entry, added] = numbered_.try_emplace(sql);
  if (!added) return entry->second;
  int number = 0;
  for (const char* c = sql; *c != 0; ++c) {
    if (*c == '?') {
      entry->second += fmt::format("${}", ++number);
    } else {
      entry->second += *c;
    }
  }
  return entry->second;
}

absl::StatusOr<PostgresUrl> ReadPostgresUrl(std::string_view url) {
  std::string error;
  const Options options = ParseUrl(std::string(url), error);
  if (!options || !(url.starts_with("postgresql://") || url.starts_with("postgres://"))) {
    // libpq's message may quote the URL, and the password with it.
    return Error(Reason::kInvalidOption,
                 "is no URL that libpq reads: postgresql://user@host:port/database?name=value");
  }
  const std::string host = OptionIn(options, "host");
  const std::string address = OptionIn(options, "hostaddr");
  const std::string port = OptionIn(options, "port");
  const std::string database = OptionIn(options, "dbname");
  return PostgresUrl{.shown = fmt::format("postgresql://{}{}{}/{}", host.empty() ? address : host,
                                          port.empty() ? "" : ":", port, database),
                     .password = OptionIn(options, "password")};
}

}  // namespace glint
