// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>
#include <google/protobuf/message.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace glint {

struct Identity;

/// A call whose answer somebody waits for, whatever brought it: gRPC or HTTP.
class PendingCall {
 public:
  /// Who makes it, and how it is counted.
  struct Facts {
    std::string_view method;                 ///< outlives the call, e.g. "SubmitScan"
    std::string peer;                        ///< as gRPC names it: "ipv4:192.0.2.1:50123"
    std::shared_ptr<const Identity> caller;  ///< null when nobody who is let in
    std::size_t max_bytes = 0;               ///< of the request
    std::string trace = {};                  ///< W3C trace context (traceparent); may be empty
  };

  virtual ~PendingCall() = default;
  virtual const Facts& facts() const = 0;
  /// Whether nobody waits any more.
  virtual bool gone() const = 0;
  /// The one answer, and the end.
  virtual void Answer(const google::protobuf::Message& message) = 0;
  /// Ends the call; whoever comes second is not heard.
  virtual void End(const absl::Status& status) = 0;
};

}  // namespace glint
