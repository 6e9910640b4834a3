// SPDX-License-Identifier: Apache-2.0
#include "jobs/postgres_feed.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <exception>
#include <utility>

namespace glint {
namespace {

using namespace std::chrono_literals;

/// Between attempts to connect: doubled with each that fails.
constexpr std::chrono::milliseconds kFirstWait = 200ms;
constexpr std::chrono::milliseconds kLongestWait = 3s;
/// Transactions, of some seconds.
constexpr std::int64_t kMostForgotten = 10'000;

/// What a notification says; nothing when it is no one of glint's.
std::optional<NotedChange> ReadNotification(std::string_view text) {
  NotedChange noted;
  const auto number = text.find(' ');
  if (number == std::string_view::npos) return std::nullopt;
  const auto state = text.find(' ', number + 1);
  if (state == std::string_view::npos) return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + number, noted.change);
  const auto named = JobStateNamed(text.substr(number + 1, state - number - 1));
  if (error != std::errc() || end != text.data() + number || !named) return std::nullopt;
  noted.state = *named;
  noted.scan_id = text.substr(state + 1);
  return noted;
}

}  // namespace

PostgresFeed::PostgresFeed(PostgresServer server, std::chrono::milliseconds poll_interval,
                           std::function<void(PostgresConnection&)> made)
    : server_(std::move(server)),
      poll_interval_(poll_interval),
      made_(std::move(made)),
      wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  try {
    Connect();
    Poll();  // from here on nothing is missed
  } catch (const std::exception&) {
    connection_.reset();
    horizon_ = 0;  // nobody knows what happens until there is a connection
  }
  thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
}

PostgresFeed::~PostgresFeed() {
  thread_.request_stop();
  TellOwn({});
  thread_.join();
}

void PostgresFeed::TellOwn(std::vector<NotedChange> changes) {
  {
    const MutexLock lock(mutex_);
    std::ranges::move(changes, std::back_inserter(own_));
  }
  constexpr std::uint64_t kOne = 1;
  // Full it wakes as well.
  [[maybe_unused]] const auto written = write(wake_.number(), &kOne, sizeof kOne);
}

void PostgresFeed::Run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    try {
      Look();
    } catch (const std::exception&) {
      // The next connection tells what this one has missed, and callers of the store learn why.
      connection_.reset();
    }
    std::vector<NotedChange> own;
    {
      const MutexLock lock(mutex_);
      own.swap(own_);
    }
    for (const NotedChange& noted : own) Tell(noted, true);
    if (own.empty() && !stop.stop_requested()) Wait(connection_ ? next_poll_ : next_connect_);
  }
}

/// Connects and looks at the table where it is time, and tells what has arrived.
void PostgresFeed::Look() {
  const auto now = Clock::now();
  if (!connection_) {
    if (now < next_connect_) return;
    connect_wait_ = std::clamp(2 * connect_wait_, kFirstWait, kLongestWait);
    next_connect_ = now + connect_wait_;
    Connect();
    next_poll_ = now;
  }
  TellNotifications();
  if (now >= next_poll_) Poll();
}

void PostgresFeed::Connect() {
  connection_ = std::make_unique<PostgresConnection>(server_);
  made_(*connection_);
  connection_->Execute(fmt::format("LISTEN {}", kChangesChannel));
  connect_wait_ = {};
  // A server that crashed has forgotten the latest transactions that nobody waited for (NOTIFY is
  // one), and gives their numbers again; a standby that took over, those that it had not got.
  if (horizon_) horizon_ = std::max<std::int64_t>(0, *horizon_ - kMostForgotten);
}

/// Tells what has changed since the last time, once too often rather than never: rows of
/// transactions that the earlier snapshot did not see.
void PostgresFeed::Poll() {
  next_poll_ = Clock::now() + poll_interval_;
  SqlQuery rows(*connection_,
                "SELECT pg_snapshot_xmin(seen.now)::text::bigint, "
                "pg_snapshot_xmax(seen.now)::text::bigint, job.scan_id, job.change, job.state "
                "FROM (SELECT pg_current_snapshot() AS now) AS seen LEFT JOIN glint_jobs AS job ON "
                "job.changed_in >= ? AND job.changed_in < pg_snapshot_xmax(seen.now)::text::bigint "
                "ORDER BY job.change");
  constexpr auto kNothing = std::numeric_limits<std::int64_t>::max();
  rows.Bind(horizon_.value_or(kNothing));
  std::vector<NotedChange> changed;
  std::int64_t xmin = 0;
  std::int64_t xmax = 0;
  while (rows.Next()) {
    xmin = rows.Integer(0);
    xmax = rows.Integer(1);
    if (rows.IsNull(2)) continue;
    changed.push_back(
        {rows.Text(2), rows.Integer(3), JobStateNamed(rows.Text(4)).value_or(JobState::kFailed)});
  }
  const bool went_back = horizon_ && xmax < *horizon_;
  horizon_ = went_back ? 0 : xmin;
  for (const NotedChange& noted : changed) Tell(noted, false);
  told_before_ = std::exchange(told_, {});
  TellNotifications();
}

void PostgresFeed::TellNotifications() {
  connection_->Receive();
  while (const auto said = connection_->NextNotification()) {
    if (const auto noted = ReadNotification(*said)) Tell(*noted, false);
  }
}

void PostgresFeed::Tell(const NotedChange& noted, bool own) {
  const auto is_told = [&](const Told& told) {
    const auto found = told.find(noted.scan_id);
    return found != told.end() && found->second >= noted.change;
  };
  const bool again = is_told(told_) || is_told(told_before_);
  if (!again) told_[noted.scan_id] = noted.change;
  subscribers_->Tell(noted.scan_id, [&](JobChanges which) {
    switch (which) {
      case JobChanges::kOwn:
        return own;
      case JobChanges::kClaimable:
        return !again && noted.state == JobState::kQueued;
      case JobChanges::kAll:
        break;
    }
    return !again;
  });
}

/// Waits until something arrives, this process has written, or the time has come.
void PostgresFeed::Wait(Clock::time_point until) {
  std::array<pollfd, 2> wanted = {
      pollfd{.fd = wake_.number(), .events = POLLIN, .revents = 0},
      pollfd{.fd = connection_ ? connection_->socket() : -1, .events = POLLIN, .revents = 0}};
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now());
  poll(wanted.data(), wanted.size(), static_cast<int>(std::max<std::int64_t>(0, left.count())) + 1);
  std::uint64_t count = 0;
  [[maybe_unused]] const auto woken = read(wake_.number(), &count, sizeof count);
}

}  // namespace glint
