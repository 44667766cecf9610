// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "proto/wire/status_codec.h"

#include <utility>

#include "absl/strings/cord.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"

namespace stridecast {
namespace {

constexpr absl::string_view kDomain = "stridecast";
// Under such URLs details are packed by every gRPC library.
constexpr absl::string_view kDetailsPrefix = "type.googleapis.com/google.rpc.";
constexpr absl::string_view kRetryInfoUrl =
    "type.googleapis.com/google.rpc.RetryInfo";
constexpr absl::string_view kErrorInfoUrl =
    "type.googleapis.com/google.rpc.ErrorInfo";
constexpr absl::string_view kBadRequestUrl =
    "type.googleapis.com/google.rpc.BadRequest";
constexpr absl::string_view kRequestInfoUrl =
    "type.googleapis.com/google.rpc.RequestInfo";
// Ends the field in the text of an INVALID_ARGUMENT.
constexpr absl::string_view kFieldEnd = ": ";
// The description repeats the text, so that it need not be whole.
constexpr size_t kMaxDescriptionBytes = 256;

#define SAME_CODE(absl_name, grpc_name)                          \
  static_assert(static_cast<int>(absl::StatusCode::absl_name) == \
                static_cast<int>(grpc::StatusCode::grpc_name))
SAME_CODE(kOk, OK);
SAME_CODE(kCancelled, CANCELLED);
SAME_CODE(kUnknown, UNKNOWN);
SAME_CODE(kInvalidArgument, INVALID_ARGUMENT);
SAME_CODE(kDeadlineExceeded, DEADLINE_EXCEEDED);
SAME_CODE(kNotFound, NOT_FOUND);
SAME_CODE(kAlreadyExists, ALREADY_EXISTS);
SAME_CODE(kPermissionDenied, PERMISSION_DENIED);
SAME_CODE(kResourceExhausted, RESOURCE_EXHAUSTED);
SAME_CODE(kFailedPrecondition, FAILED_PRECONDITION);
SAME_CODE(kAborted, ABORTED);
SAME_CODE(kOutOfRange, OUT_OF_RANGE);
SAME_CODE(kUnimplemented, UNIMPLEMENTED);
SAME_CODE(kInternal, INTERNAL);
SAME_CODE(kUnavailable, UNAVAILABLE);
SAME_CODE(kDataLoss, DATA_LOSS);
SAME_CODE(kUnauthenticated, UNAUTHENTICATED);
#undef SAME_CODE

// At most `limit` bytes of a UTF-8 text, no character cut.
absl::string_view CutText(absl::string_view text, size_t limit) {
  if (text.size() <= limit) return text;
  while (limit > 0 && (text[limit] & 0xC0) == 0x80) --limit;
  return text.substr(0, limit);
}

template <typename Detail>
std::optional<Detail> FindDetail(const absl::Status& status,
                                 absl::string_view url) {
  const auto payload = status.GetPayload(url);  // Abseil's own optional
  Detail detail;
  if (!payload || !detail.ParseFromString(std::string(*payload))) {
    return std::nullopt;
  }
  return detail;
}

// Adds a detail if it fits (S2).
void AddDetail(absl::string_view url, std::string value,
               google::rpc::Status* details) {
  google::protobuf::Any* any = details->add_details();
  any->set_type_url(std::string(url));
  any->set_value(std::move(value));
  if (details->ByteSizeLong() > kMaxStatusDetailsBytes) {
    details->mutable_details()->RemoveLast();
  }
}

google::rpc::Status DetailsOf(const absl::Status& status,
                              absl::string_view text) {
  google::rpc::Status details;
  details.set_code(static_cast<int>(status.code()));
  details.set_message(std::string(text));

  // First, so that it is never the one left out.
  const absl::Status with_reason = WithErrorReason(status, ErrorReason(status));
  const absl::Status& blamed =
      status.GetPayload(kErrorInfoUrl) ? status : with_reason;
  AddDetail(kErrorInfoUrl, std::string(*blamed.GetPayload(kErrorInfoUrl)),
            &details);

  status.ForEachPayload([&](absl::string_view url, const absl::Cord& payload) {
    if (!absl::StartsWith(url, kDetailsPrefix) || url == kErrorInfoUrl) return;
    AddDetail(url, std::string(payload), &details);
  });

  const absl::string_view field = BlamedField(status);
  if (!field.empty() && !status.GetPayload(kBadRequestUrl)) {
    google::rpc::BadRequest bad_request;
    auto* violation = bad_request.add_field_violations();
    // "spec.instructions[0] (ADD)": the path alone.
    const absl::string_view path = field.substr(0, field.find(" ("));
    violation->set_field(std::string(CutText(path, kMaxDescriptionBytes)));
    const absl::string_view whole = status.message();
    violation->set_description(std::string(
        CutText(whole.substr(whole.find(kFieldEnd) + kFieldEnd.size()),
                kMaxDescriptionBytes)));
    AddDetail(kBadRequestUrl, bad_request.SerializeAsString(), &details);
  }
  return details;
}

}  // namespace

absl::Status WithRetryDelay(absl::Status status, absl::Duration delay) {
  google::rpc::RetryInfo info;
  const int64_t seconds = absl::IDivDuration(delay, absl::Seconds(1), &delay);
  info.mutable_retry_delay()->set_seconds(seconds);
  info.mutable_retry_delay()->set_nanos(
      static_cast<int32_t>(absl::ToInt64Nanoseconds(delay)));
  status.SetPayload(kRetryInfoUrl, absl::Cord(info.SerializeAsString()));
  return status;
}

std::optional<absl::Duration> RetryDelay(const absl::Status& status) {
  const auto info = FindDetail<google::rpc::RetryInfo>(status, kRetryInfoUrl);
  if (!info) return std::nullopt;
  return absl::Seconds(info->retry_delay().seconds()) +
         absl::Nanoseconds(info->retry_delay().nanos());
}

absl::Status WithErrorReason(absl::Status status, absl::string_view reason) {
  google::rpc::ErrorInfo info;
  info.set_domain(std::string(kDomain));
  info.set_reason(std::string(reason));
  status.SetPayload(kErrorInfoUrl, absl::Cord(info.SerializeAsString()));
  return status;
}

std::string ErrorReason(const absl::Status& status) {
  const auto info = FindDetail<google::rpc::ErrorInfo>(status, kErrorInfoUrl);
  if (info && !info->reason().empty()) return info->reason();
  return absl::StatusCodeToString(status.code());
}

bool HasErrorReason(const absl::Status& status) {
  return status.GetPayload(kErrorInfoUrl).has_value();
}

absl::Status WithRequestId(absl::Status status, absl::string_view request_id) {
  google::rpc::RequestInfo info;
  info.set_request_id(std::string(request_id));
  status.SetPayload(kRequestInfoUrl, absl::Cord(info.SerializeAsString()));
  return status;
}

std::string RequestId(const absl::Status& status) {
  const auto info =
      FindDetail<google::rpc::RequestInfo>(status, kRequestInfoUrl);
  return info ? info->request_id() : "";
}

absl::string_view BlamedField(const absl::Status& status) {
  if (status.code() != absl::StatusCode::kInvalidArgument) return "";
  const absl::string_view text = status.message();
  const size_t end = text.find(kFieldEnd);
  if (end == absl::string_view::npos) return "";
  const absl::string_view field = text.substr(0, end);
  return field.substr(0, field.find(" ("));
}

grpc::Status ToGrpcStatus(const absl::Status& status) {
  if (status.ok()) return grpc::Status::OK;
  const absl::string_view text = CutText(status.message(), kMaxStatusTextBytes);
  return grpc::Status(static_cast<grpc::StatusCode>(status.code()),
                      std::string(text),
                      DetailsOf(status, text).SerializeAsString());
}

absl::Status FromGrpcStatus(const grpc::Status& status) {
  if (status.ok()) return absl::OkStatus();
  // Makes a code that is none of the 17 into kUnknown.
  const absl::StatusCode code =
      absl::Status(static_cast<absl::StatusCode>(status.error_code()), "")
          .code();
  absl::Status result(code, status.error_message());
  google::rpc::Status details;
  if (details.ParseFromString(status.error_details())) {
    for (const google::protobuf::Any& detail : details.details()) {
      result.SetPayload(detail.type_url(), absl::Cord(detail.value()));
    }
  }
  return result;
}

}  // namespace stridecast
