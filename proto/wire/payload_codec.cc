// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "proto/wire/payload_codec.h"

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "stridecast/float16.h"
#include "stridecast/status_macros.h"

namespace stridecast {
namespace {

using google::protobuf::RepeatedField;

// In the order of Payload's fields, the first being number 2.
enum List { kBools, kSint32s, kUint32s, kSint64s, kUint64s, kFloats, kDoubles };
constexpr absl::string_view kListNames[] = {
    "bools", "sint32s", "uint32s", "sint64s", "uint64s", "floats", "doubles"};

List ListOf(DType type) {
  switch (type) {
    case DType::kPred:
      return kBools;
    case DType::kS8:
    case DType::kS16:
    case DType::kS32:
      return kSint32s;
    case DType::kU8:
    case DType::kU16:
    case DType::kU32:
      return kUint32s;
    case DType::kS64:
      return kSint64s;
    case DType::kU64:
      return kUint64s;
    case DType::kF16:
    case DType::kBF16:
    case DType::kF32:
    case DType::kC64:
      return kFloats;
    case DType::kF64:
    case DType::kC128:
      return kDoubles;
  }
  return kFloats;
}

int64_t EntriesPerElement(DType type) { return IsComplex(type) ? 2 : 1; }

// The n entries of a buffer have the representation of the list's own.
template <typename T>
absl::Status CopyOut(const RepeatedField<T>& list, std::byte* bytes) {
  if (!list.empty()) {
    std::memcpy(bytes, list.data(), sizeof(T) * list.size());
  }
  return absl::OkStatus();
}

template <typename T>
void CopyIn(const std::byte* bytes, int64_t count, RepeatedField<T>* list) {
  list->Resize(static_cast<int>(count), T());
  if (count > 0) {
    std::memcpy(list->mutable_data(), bytes,
                sizeof(T) * static_cast<size_t>(count));
  }
}

template <typename To, typename From>
absl::Status NarrowIntegers(DType type, const RepeatedField<From>& list,
                            std::byte* bytes) {
  constexpr From kMin = std::numeric_limits<To>::min();
  constexpr From kMax = std::numeric_limits<To>::max();
  for (int i = 0; i < list.size(); ++i) {
    const From value = list.Get(i);
    if (value < kMin || value > kMax) {
      return FieldError(absl::StrCat(kListNames[ListOf(type)], "[", i, "]"),
                        value, " is out of the range of ", DTypeName(type),
                        ", ", kMin, " to ", kMax);
    }
    const auto narrow = static_cast<To>(value);
    std::memcpy(bytes + i * sizeof(To), &narrow, sizeof(To));
  }
  return absl::OkStatus();
}

template <typename To>
absl::Status NarrowFloats(DType type, const RepeatedField<float>& list,
                          std::byte* bytes) {
  for (int i = 0; i < list.size(); ++i) {
    const float value = list.Get(i);
    To narrow;
    if constexpr (std::is_same_v<To, F16>) {
      narrow = ToF16(value);
    } else {
      narrow = ToBF16(value);
    }
    if (std::isfinite(value) && std::isinf(ToFloat(narrow))) {
      return FieldError(absl::StrCat("floats[", i, "]"), value,
                        " is out of the range of ", DTypeName(type),
                        ", it would become infinity");
    }
    std::memcpy(bytes + i * sizeof(To), &narrow, sizeof(To));
  }
  return absl::OkStatus();
}

// Adds the `count` numbers in `bytes` to the list, each through `widen`.
template <typename From, typename List, typename Widen>
void WidenTo(const std::byte* bytes, int64_t count, List* list, Widen widen) {
  list->Reserve(static_cast<int>(count));
  for (int64_t i = 0; i < count; ++i) {
    From value;
    std::memcpy(&value, bytes + i * static_cast<int64_t>(sizeof(From)),
                sizeof(From));
    list->AddAlreadyReserved(widen(value));
  }
}

}  // namespace

absl::StatusOr<PayloadKind> CheckPayload(const TensorDesc& desc,
                                         int64_t raw_bytes,
                                         const v1::Payload& lists,
                                         int64_t& typed_elements_left) {
  const std::array<int64_t, std::size(kListNames)> sizes = {
      lists.bools_size(),   lists.sint32s_size(), lists.uint32s_size(),
      lists.sint64s_size(), lists.uint64s_size(), lists.floats_size(),
      lists.doubles_size()};
  const absl::string_view wanted = kListNames[ListOf(desc.type())];
  absl::string_view found = raw_bytes > 0 ? "raw" : "";
  int64_t num_entries = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == 0) continue;
    if (!found.empty()) {
      return FieldError(kListNames[i], "set beside ", found,
                        "; a payload has one field set");
    }
    found = kListNames[i];
    num_entries = sizes[i];
  }
  if (num_entries == 0) {
    if (raw_bytes != desc.size_bytes()) {
      return FieldError("raw", raw_bytes, " bytes; the buffer of ",
                        desc.ToString(), " has ", desc.size_bytes());
    }
    return raw_bytes == 0 ? PayloadKind::kEmpty : PayloadKind::kRaw;
  }
  if (found != wanted) {
    return FieldError(found, "set for ", DTypeName(desc.type()),
                      ", which travels in ", wanted);
  }
  const int64_t num_elements = desc.layout().num_slots();
  const int64_t wanted_entries = num_elements * EntriesPerElement(desc.type());
  if (num_entries != wanted_entries) {
    return FieldError(found, num_entries, " entries; the buffer of ",
                      desc.ToString(), " has ", wanted_entries,
                      IsComplex(desc.type()) ? ", two per element" : "");
  }
  if (num_elements > typed_elements_left) {
    return FieldError(found, num_elements, " elements, with ",
                      kMaxTypedElements - typed_elements_left,
                      " in typed lists before; the limit of a message is ",
                      kMaxTypedElements, " together");
  }
  typed_elements_left -= num_elements;
  return PayloadKind::kTyped;
}

absl::Status ListToBytes(const TensorDesc& desc, const v1::Payload& lists,
                         std::byte* bytes) {
  const DType type = desc.type();
  switch (type) {
    case DType::kPred:
      return CopyOut(lists.bools(), bytes);
    case DType::kS8:
      return NarrowIntegers<int8_t>(type, lists.sint32s(), bytes);
    case DType::kS16:
      return NarrowIntegers<int16_t>(type, lists.sint32s(), bytes);
    case DType::kS32:
      return CopyOut(lists.sint32s(), bytes);
    case DType::kS64:
      return CopyOut(lists.sint64s(), bytes);
    case DType::kU8:
      return NarrowIntegers<uint8_t>(type, lists.uint32s(), bytes);
    case DType::kU16:
      return NarrowIntegers<uint16_t>(type, lists.uint32s(), bytes);
    case DType::kU32:
      return CopyOut(lists.uint32s(), bytes);
    case DType::kU64:
      return CopyOut(lists.uint64s(), bytes);
    case DType::kF16:
      return NarrowFloats<F16>(type, lists.floats(), bytes);
    case DType::kBF16:
      return NarrowFloats<BF16>(type, lists.floats(), bytes);
    case DType::kF32:
    case DType::kC64:
      return CopyOut(lists.floats(), bytes);
    case DType::kF64:
    case DType::kC128:
      return CopyOut(lists.doubles(), bytes);
  }
  return absl::OkStatus();
}

v1::Payload BytesToList(const TensorDesc& desc, const std::byte* bytes) {
  v1::Payload lists;
  const DType type = desc.type();
  const int64_t count = desc.layout().num_slots() * EntriesPerElement(type);
  const auto as_is = [](auto value) { return value; };
  const auto to_float = [](auto value) { return ToFloat(value); };
  switch (type) {
    case DType::kPred:
      WidenTo<uint8_t>(bytes, count, lists.mutable_bools(),
                       [](uint8_t value) { return value != 0; });
      break;
    case DType::kS8:
      WidenTo<int8_t>(bytes, count, lists.mutable_sint32s(), as_is);
      break;
    case DType::kS16:
      WidenTo<int16_t>(bytes, count, lists.mutable_sint32s(), as_is);
      break;
    case DType::kS32:
      CopyIn(bytes, count, lists.mutable_sint32s());
      break;
    case DType::kS64:
      CopyIn(bytes, count, lists.mutable_sint64s());
      break;
    case DType::kU8:
      WidenTo<uint8_t>(bytes, count, lists.mutable_uint32s(), as_is);
      break;
    case DType::kU16:
      WidenTo<uint16_t>(bytes, count, lists.mutable_uint32s(), as_is);
      break;
    case DType::kU32:
      CopyIn(bytes, count, lists.mutable_uint32s());
      break;
    case DType::kU64:
      CopyIn(bytes, count, lists.mutable_uint64s());
      break;
    case DType::kF16:
      WidenTo<F16>(bytes, count, lists.mutable_floats(), to_float);
      break;
    case DType::kBF16:
      WidenTo<BF16>(bytes, count, lists.mutable_floats(), to_float);
      break;
    case DType::kF32:
    case DType::kC64:
      CopyIn(bytes, count, lists.mutable_floats());
      break;
    case DType::kF64:
    case DType::kC128:
      CopyIn(bytes, count, lists.mutable_doubles());
      break;
  }
  return lists;
}

}  // namespace stridecast
