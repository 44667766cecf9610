// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "proto/wire/status_codec.h"

#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "gtest/gtest.h"
#include "stridecast/status_macros.h"

namespace stridecast {
namespace {

template <typename Detail>
Detail DetailOf(const grpc::Status& status) {
  google::rpc::Status details;
  EXPECT_TRUE(details.ParseFromString(status.error_details()));
  Detail detail;
  int found = 0;
  for (const auto& any : details.details()) {
    if (any.Is<Detail>()) {
      ++found;
      EXPECT_TRUE(any.UnpackTo(&detail));
    }
  }
  EXPECT_LE(found, 1);
  return detail;
}

TEST(StatusCodec, AnInvalidArgumentNamesItsField) {
  const grpc::Status status = ToGrpcStatus(
      FieldError("spec.operands[1].strides.strides", "2 entries for rank 3"));
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(status.error_message(),
            "spec.operands[1].strides.strides: 2 entries for rank 3");
  google::rpc::Status details;
  ASSERT_TRUE(details.ParseFromString(status.error_details()));
  EXPECT_EQ(details.code(), 3);
  EXPECT_EQ(details.message(), status.error_message());
  const auto bad_request = DetailOf<google::rpc::BadRequest>(status);
  ASSERT_EQ(bad_request.field_violations_size(), 1);
  EXPECT_EQ(bad_request.field_violations(0).field(),
            "spec.operands[1].strides.strides");
  EXPECT_EQ(bad_request.field_violations(0).description(),
            "2 entries for rank 3");
  const auto info = DetailOf<google::rpc::ErrorInfo>(status);
  EXPECT_EQ(info.domain(), "stridecast");
  EXPECT_EQ(info.reason(), "INVALID_ARGUMENT");
}

TEST(StatusCodec, AllCodesBothWays) {
  for (int number = 0; number <= 16; ++number) {
    const absl::Status status(static_cast<absl::StatusCode>(number), "text");
    const grpc::Status sent = ToGrpcStatus(status);
    EXPECT_EQ(static_cast<int>(sent.error_code()), number);
    const absl::Status received = FromGrpcStatus(sent);
    EXPECT_EQ(received.code(), status.code());
    EXPECT_EQ(received.message(), status.message());
  }
}

TEST(StatusCodec, CodesThatAreNoneBecomeUnknown) {
  EXPECT_EQ(FromGrpcStatus(grpc::Status(static_cast<grpc::StatusCode>(17), "x"))
                .code(),
            absl::StatusCode::kUnknown);
  EXPECT_EQ(ToGrpcStatus(absl::Status(static_cast<absl::StatusCode>(99), "x"))
                .error_code(),
            grpc::StatusCode::UNKNOWN);
}

TEST(StatusCodec, RetryDelayAndReasonTravel) {
  const absl::Status status =
      WithErrorReason(WithRetryDelay(absl::ResourceExhaustedError("queue full"),
                                     absl::Milliseconds(1250)),
                      "QUEUE_FULL");
  const grpc::Status sent = ToGrpcStatus(status);
  const auto retry = DetailOf<google::rpc::RetryInfo>(sent);
  EXPECT_EQ(retry.retry_delay().seconds(), 1);
  EXPECT_EQ(retry.retry_delay().nanos(), 250000000);
  EXPECT_EQ(DetailOf<google::rpc::ErrorInfo>(sent).reason(), "QUEUE_FULL");
  const absl::Status received = FromGrpcStatus(sent);
  EXPECT_EQ(RetryDelay(received), absl::Milliseconds(1250));
  EXPECT_EQ(ErrorReason(received), "QUEUE_FULL");
  EXPECT_TRUE(HasErrorReason(received));
  // Once more through the codec, as a proxy does it.
  EXPECT_EQ(ToGrpcStatus(received).error_details(), sent.error_details());
}

TEST(StatusCodec, RequestIdsTravel) {
  const absl::Status status =
      WithRequestId(absl::InternalError("broken"), "5f0c31aa00000007");
  EXPECT_EQ(RequestId(status), "5f0c31aa00000007");
  EXPECT_EQ(RequestId(FromGrpcStatus(ToGrpcStatus(status))),
            "5f0c31aa00000007");
  EXPECT_EQ(RequestId(absl::InternalError("broken")), "");
}

TEST(StatusCodec, WithoutDetails) {
  const absl::Status plain =
      FromGrpcStatus(grpc::Status(grpc::StatusCode::UNAVAILABLE, "down"));
  EXPECT_EQ(RetryDelay(plain), std::nullopt);
  EXPECT_EQ(ErrorReason(plain), "UNAVAILABLE");
  EXPECT_FALSE(HasErrorReason(plain));
  // What the server sends has one, whoever made the status.
  EXPECT_TRUE(HasErrorReason(
      FromGrpcStatus(ToGrpcStatus(absl::InternalError("broken")))));
  const absl::Status garbled = FromGrpcStatus(
      grpc::Status(grpc::StatusCode::UNAVAILABLE, "down", "\xFF\xFF"));
  EXPECT_EQ(garbled.code(), absl::StatusCode::kUnavailable);
  absl::Status wrong = absl::UnavailableError("down");
  wrong.SetPayload("type.googleapis.com/google.rpc.RetryInfo",
                   absl::Cord("\xFF\xFF"));
  EXPECT_EQ(RetryDelay(wrong), std::nullopt);
}

TEST(StatusCodec, PayloadsOfOthersStayInside) {
  absl::Status status = absl::InternalError("broken");
  status.SetPayload("secret", absl::Cord("inside"));
  EXPECT_EQ(ToGrpcStatus(status).error_details().find("inside"),
            std::string::npos);
}

TEST(StatusCodec, TextIsCutBetweenCharacters) {
  std::string text(kMaxStatusTextBytes - 1, 'a');
  EXPECT_EQ(ToGrpcStatus(absl::InternalError(text + "b")).error_message(),
            text + "b");
  // Two, three and four bytes across the limit.
  for (const char* character : {"\u00E4", "\u20AC", "\U0001F600"}) {
    EXPECT_EQ(
        ToGrpcStatus(absl::InternalError(text + character)).error_message(),
        text);
  }
}

TEST(StatusCodec, TrailersStayBelowFourKibibytes) {
  const absl::Status status = WithErrorReason(
      WithRetryDelay(
          FieldError(std::string(3000, 'f'), std::string(100000, 'x')),
          absl::Seconds(1)),
      "REASON");
  const grpc::Status sent = ToGrpcStatus(status);
  EXPECT_LE(sent.error_details().size(), kMaxStatusDetailsBytes);
  EXPECT_LT(sent.error_message().size() +
                absl::Base64Escape(sent.error_details()).size(),
            4096u);
  EXPECT_EQ(RetryDelay(FromGrpcStatus(sent)), absl::Seconds(1));
  EXPECT_EQ(DetailOf<google::rpc::BadRequest>(sent).field_violations_size(), 1);
}

TEST(StatusCodec, BlamedField) {
  EXPECT_EQ(BlamedField(absl::InvalidArgumentError("a.b[1]: x: y")), "a.b[1]");
  EXPECT_EQ(BlamedField(absl::InvalidArgumentError("a.b (ADD): x (y)")), "a.b");
  EXPECT_EQ(BlamedField(absl::InvalidArgumentError("no field")), "");
  EXPECT_EQ(BlamedField(absl::InternalError("a: b")), "");
}

}  // namespace
}  // namespace stridecast
