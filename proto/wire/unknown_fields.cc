// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "proto/wire/unknown_fields.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/unknown_field_set.h"
#include "stridecast/status_macros.h"

namespace stridecast {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

absl::Status UnknownFieldError(absl::string_view path, int number,
                               absl::string_view type) {
  return FieldError(absl::StrCat(path, number), "unknown field ", number,
                    " of ", type, ", or one with another wire type than its");
}

absl::Status CheckNoUnknownFields(const Message& message) {
  const Reflection& reflection = *message.GetReflection();
  const auto& unknown = reflection.GetUnknownFields(message);
  if (!unknown.empty()) {
    return UnknownFieldError("", unknown.field(0).number(),
                             message.GetDescriptor()->full_name());
  }
  std::vector<const FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) continue;
    const std::string name(field->name());
    if (!field->is_repeated()) {
      absl::Status inner =
          CheckNoUnknownFields(reflection.GetMessage(message, field));
      if (!inner.ok()) return PrefixField(absl::StrCat(name, "."), inner);
      continue;
    }
    for (int i = 0; i < reflection.FieldSize(message, field); ++i) {
      absl::Status inner = CheckNoUnknownFields(
          reflection.GetRepeatedMessage(message, field, i));
      if (!inner.ok()) {
        return PrefixField(absl::StrCat(name, "[", i, "]."), inner);
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace stridecast
