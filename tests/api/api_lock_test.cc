// SPDX-License-Identifier: Apache-2.0
// The API may only grow: proto/api.lock lists what callers may rely on. New lines are added to it
// with the change that makes them; a line is taken away only with a new package version.
#include "api/api_lock.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <google/protobuf/descriptor.pb.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "glint/v1/batch_service.pb.h"
#include "glint/v1/scan_service.pb.h"
#include "glint/v1/worker_service.pb.h"

namespace glint {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kLockFile = GLINT_SOURCE_DIR "/proto/api.lock";

std::vector<std::string> CurrentApi() {
  std::vector<std::string> lines;
  for (const auto* file :
       {v1::Scan::descriptor()->file(), v1::SubmitScanRequest::descriptor()->file(),
        v1::WorkerInfo::descriptor()->file(), v1::Batch::descriptor()->file()}) {
    const auto more = Promises(*file);
    lines.insert(lines.end(), more.begin(), more.end());
  }
  std::ranges::sort(lines);
  return lines;
}

TEST(ApiLock, WhatCallersRelyOnIsStillThere) {
  std::ifstream file(kLockFile);
  std::vector<std::string> locked;
  for (std::string line; std::getline(file, line);) locked.push_back(line);
  std::ranges::sort(locked);
  const ApiChange change = Compare(locked, CurrentApi());
  EXPECT_THAT(change.broken, IsEmpty())
      << "glint.v1 may only grow: give these back, or make a glint.v2";
  EXPECT_THAT(change.added, IsEmpty())
      << "callers will rely on this from now on; when that is meant, add to " << kLockFile << ":\n"
      << fmt::format("{}", fmt::join(change.added, "\n"));
}

/// A file with one message, one enum and one service, changed by `change`.
std::vector<std::string> SmallApi(
    const std::function<void(google::protobuf::FileDescriptorProto&)>& change = {}) {
  google::protobuf::FileDescriptorProto file;
  file.set_name("small.proto");
  file.set_package("small");
  file.set_syntax("proto3");
  auto& message = *file.add_message_type();
  message.set_name("M");
  auto& field = *message.add_field();
  field.set_name("id");
  field.set_number(1);
  field.set_type(google::protobuf::FieldDescriptorProto::TYPE_STRING);
  field.set_label(google::protobuf::FieldDescriptorProto::LABEL_OPTIONAL);
  auto& kind = *file.add_enum_type();
  kind.set_name("E");
  auto& value = *kind.add_value();
  value.set_name("ZERO");
  value.set_number(0);
  auto& service = *file.add_service();
  service.set_name("S");
  auto& method = *service.add_method();
  method.set_name("Do");
  method.set_input_type(".small.M");
  method.set_output_type(".small.M");
  if (change) change(file);
  google::protobuf::DescriptorPool pool;
  return Promises(*pool.BuildFile(file));
}

TEST(ApiLock, NoticesEveryWayToBreakCallers) {
  using File = google::protobuf::FileDescriptorProto;
  const std::vector<std::pair<const char*, std::function<void(File&)>>> breaks = {
      {"number", [](File& f) { f.mutable_message_type(0)->mutable_field(0)->set_number(2); }},
      {"name", [](File& f) { f.mutable_message_type(0)->mutable_field(0)->set_name("key"); }},
      {"type",
       [](File& f) {
         f.mutable_message_type(0)->mutable_field(0)->set_type(
             google::protobuf::FieldDescriptorProto::TYPE_BYTES);
       }},
      {"label",
       [](File& f) {
         f.mutable_message_type(0)->mutable_field(0)->set_label(
             google::protobuf::FieldDescriptorProto::LABEL_REPEATED);
       }},
      {"enum value", [](File& f) { f.mutable_enum_type(0)->mutable_value(0)->set_name("NONE"); }},
      {"method", [](File& f) { f.mutable_service(0)->mutable_method(0)->set_name("Make"); }},
      {"streaming",
       [](File& f) { f.mutable_service(0)->mutable_method(0)->set_server_streaming(true); }},
      {"service", [](File& f) { f.clear_service(); }},
  };
  for (const auto& [name, change] : breaks) {
    EXPECT_FALSE(Compare(SmallApi(), SmallApi(change)).broken.empty()) << name;
  }
}

TEST(ApiLock, TellsGrowthFromABreak) {
  const ApiChange change = Compare(SmallApi(), SmallApi([](auto& file) {
                                     auto& field = *file.mutable_message_type(0)->add_field();
                                     field = file.message_type(0).field(0);
                                     field.set_name("more");
                                     field.set_number(2);
                                   }));
  EXPECT_THAT(change.broken, IsEmpty());
  EXPECT_THAT(change.added, ElementsAre("field small.M.more = 2: string"));
}

}  // namespace
}  // namespace glint
