// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/reflection_service.h"

#include <memory>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/descriptor.pb.h"
#include "google/protobuf/message.h"
#include "grpc/reflection/v1/reflection.pb.h"
#include "grpc/reflection/v1alpha/reflection.pb.h"
#include "server/small_stream.h"
#include "stridecast/status_macros.h"

namespace stridecast {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::DescriptorPool;
using google::protobuf::FieldDescriptor;
using google::protobuf::FileDescriptor;
using grpc::reflection::v1::ServerReflectionRequest;
using grpc::reflection::v1::ServerReflectionResponse;

// A tool has one stream, and may keep it.
constexpr int64_t kStreams = 64;
constexpr int64_t kStreamsOfAConnection = 8;

const DescriptorPool& Pool() { return *DescriptorPool::generated_pool(); }

// `file` and what it imports, each once.
void AddFiles(const FileDescriptor& file,
              absl::flat_hash_set<const FileDescriptor*>& added,
              ServerReflectionResponse& response) {
  if (!added.insert(&file).second) return;
  google::protobuf::FileDescriptorProto message;
  file.CopyTo(&message);
  response.mutable_file_descriptor_response()->add_file_descriptor_proto(
      message.SerializeAsString());
  for (int i = 0; i < file.dependency_count(); ++i) {
    AddFiles(*file.dependency(i), added, response);
  }
}

absl::StatusOr<const FileDescriptor*> FileOf(
    const ServerReflectionRequest& request) {
  const FileDescriptor* file = nullptr;
  switch (request.message_request_case()) {
    case ServerReflectionRequest::kFileByFilename:
      file = Pool().FindFileByName(request.file_by_filename());
      break;
    case ServerReflectionRequest::kFileContainingSymbol:
      file = Pool().FindFileContainingSymbol(request.file_containing_symbol());
      break;
    default: {
      const auto& wanted = request.file_containing_extension();
      const Descriptor* const type =
          Pool().FindMessageTypeByName(wanted.containing_type());
      const FieldDescriptor* const extension =
          type == nullptr
              ? nullptr
              : Pool().FindExtensionByNumber(type, wanted.extension_number());
      if (extension != nullptr) file = extension->file();
    }
  }
  if (file != nullptr) return file;
  return absl::NotFoundError("no file of this server has it");
}

absl::Status AddExtensionNumbers(const std::string& type_name,
                                 ServerReflectionResponse& response) {
  const Descriptor* const type = Pool().FindMessageTypeByName(type_name);
  if (type == nullptr) {
    return absl::NotFoundError("no message type of this server has this name");
  }
  std::vector<const FieldDescriptor*> extensions;
  Pool().FindAllExtensions(type, &extensions);
  auto& numbers = *response.mutable_all_extension_numbers_response();
  numbers.set_base_type_name(type_name);
  for (const FieldDescriptor* extension : extensions) {
    numbers.add_extension_number(extension->number());
  }
  return absl::OkStatus();
}

absl::Status Answer(const ServerReflectionRequest& request,
                    const std::vector<std::string>& services,
                    ServerReflectionResponse& response) {
  switch (request.message_request_case()) {
    case ServerReflectionRequest::kListServices:
      for (const std::string& service : services) {
        response.mutable_list_services_response()->add_service()->set_name(
            service);
      }
      return absl::OkStatus();
    case ServerReflectionRequest::kAllExtensionNumbersOfType:
      return AddExtensionNumbers(request.all_extension_numbers_of_type(),
                                 response);
    case ServerReflectionRequest::MESSAGE_REQUEST_NOT_SET:
      return absl::InvalidArgumentError("message_request: not set; required");
    default: {
      const absl::StatusOr<const FileDescriptor*> file = FileOf(request);
      if (!file.ok()) return file.status();
      absl::flat_hash_set<const FileDescriptor*> added;
      AddFiles(**file, added, response);
      return absl::OkStatus();
    }
  }
}

}  // namespace

class ReflectionService::StreamCall final : public SmallStream {
 public:
  StreamCall(const ReflectionService& service,
             grpc::CallbackServerContext* context, std::chrono::seconds idle)
      : SmallStream(context, idle), service_(service) {}

 private:
  void OnRequest(const std::string& bytes) override {
    ServerReflectionRequest request;
    if (!request.ParseFromString(bytes)) {
      return End(
          FieldError("ServerReflectionRequest", "the bytes are no message"));
    }
    ServerReflectionResponse response;
    if (const absl::Status status =
            Answer(request, service_.services_, response);
        !status.ok()) {
      auto& error = *response.mutable_error_response();
      error.set_error_code(static_cast<int>(status.code()));
      error.set_error_message(std::string(status.message()));
    }
    response.set_valid_host(request.host());
    *response.mutable_original_request() = std::move(request);
    Reply(response);
  }
  void OnReplied() override { ReadRequest(); }
  absl::Status OnLastRequest() override { return absl::OkStatus(); }

  const ReflectionService& service_;
};

ReflectionService::ReflectionService(std::vector<std::string> services,
                                     std::chrono::seconds idle, HeldBytes* held)
    : services_(std::move(services)),
      streams_(kStreams, kStreamsOfAConnection, "streams of reflection", held) {
  // Nothing else needs these, so that they can be described.
  google::protobuf::LinkMessageReflection<
      grpc::reflection::v1alpha::ServerReflectionRequest>();
  for (const char* path :
       {"/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
        "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo"}) {
    AddRawMethod(path, [this, idle](grpc::CallbackServerContext* context) {
      return SmallStream::Start(
          std::make_shared<StreamCall>(*this, context, idle), streams_);
    });
  }
}

}  // namespace stridecast
