// SPDX-License-Identifier: Apache-2.0
// The one way in which a failure is passed on to the caller.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <utility>

/// Returns from the calling function with `expression`'s failure, if it is one. `expression` is an
/// absl::Status, evaluated once; to say where it failed, wrap it: GLINT_RETURN_IF_ERROR(In("x",
/// s)).
#define GLINT_RETURN_IF_ERROR(expression) \
  GLINT_RETURN_IF_ERROR_AS_(GLINT_JOIN_(glint_status_, __COUNTER__), expression)

/// Moves the value of `expression`, an absl::StatusOr<T>, to `place`, which may declare a variable;
/// or returns from the calling function with its failure. `expression` is evaluated once. It takes
/// more than one statement, so it cannot be the body of an `if` without braces.
///   GLINT_ASSIGN_OR_RETURN(const Plane grey, Rectify(...));
#define GLINT_ASSIGN_OR_RETURN(place, ...) \
  GLINT_ASSIGN_OR_RETURN_AS_(GLINT_JOIN_(glint_status_or_, __COUNTER__), place, (__VA_ARGS__))

// NOLINTBEGIN(bugprone-macro-parentheses): types and names of declarations cannot have any.

// Each use names its variable differently: one may stand in a lambda inside another.
#define GLINT_RETURN_IF_ERROR_AS_(status, expression)                    \
  do {                                                                   \
    if (absl::Status status = (expression); !status.ok()) return status; \
  } while (false)

#define GLINT_ASSIGN_OR_RETURN_AS_(made, place, expression) \
  auto made = expression;                                   \
  if (!made.ok()) return std::move(made).status();          \
  place = *std::move(made)

// NOLINTEND(bugprone-macro-parentheses)

#define GLINT_JOIN_(a, b) GLINT_JOIN_AGAIN_(a, b)
#define GLINT_JOIN_AGAIN_(a, b) a##b
