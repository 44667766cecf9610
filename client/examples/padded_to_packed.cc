// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// A picture as a GPU reads it back, each row at a multiple of 256 bytes,
// becomes a packed tensor of planes for a model, and goes back into a buffer of
// the same kind. Two ways to say where the pixels lie, with different things to
// say about the rest of the memory:
//   - a pitch: the room behind the rows belongs to somebody else. It is neither
//     read as data nor, in a result, written to.
//   - padding: the room is part of the tensor's layout. It is not data either,
//     but a result fills it, here with ones.
// Everything is checked against plain loops; exits with 1 if anything differs.
//
//   stridecast-padded-to-packed [host:port]

#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include "stridecast/client.h"
#include "stridecast/layouts.h"
#include "stridecast/return_if_error.h"
#include "stridecast/strided_view.h"

namespace stridecast {
namespace {

constexpr int64_t kRows = 120;
constexpr int64_t kColumns = 250;
constexpr int64_t kChannels = 4;
constexpr int64_t kPitch = 1024;  // of 1000 bytes the next multiple of 256
constexpr uint8_t kNotOurs = 0xCD;

uint8_t Pixel(int64_t row, int64_t column, int64_t channel) {
  return static_cast<uint8_t>(row * 7 + column * 3 + channel * 50);
}

// What a GPU copies a texture to.
std::vector<uint8_t> ReadBack() {
  std::vector<uint8_t> buffer(kRows * kPitch, kNotOurs);
  for (int64_t i = 0; i < kRows; ++i) {
    for (int64_t j = 0; j < kColumns; ++j) {
      for (int64_t c = 0; c < kChannels; ++c) {
        buffer[static_cast<size_t>(i * kPitch + j * kChannels + c)] =
            Pixel(i, j, c);
      }
    }
  }
  return buffer;
}

absl::Status Check(bool holds, const std::string& what) {
  if (holds) return absl::OkStatus();
  return absl::InternalError(what + " is not as it should be");
}

// `planes` is what these loops gather.
absl::Status CheckPlanes(absl::Span<const uint8_t> planes) {
  std::vector<uint8_t> expected;
  for (int64_t c = 0; c < kChannels; ++c) {
    for (int64_t i = 0; i < kRows; ++i) {
      for (int64_t j = 0; j < kColumns; ++j) expected.push_back(Pixel(i, j, c));
    }
  }
  return Check(planes == absl::MakeConstSpan(expected), "the packed tensor");
}

absl::Status Run(const std::string& server) {
  const Client client = Client::Connect(server);
  const std::vector<uint8_t> texture = ReadBack();
  STRIDECAST_ASSIGN_OR_RETURN(
      const TensorView pitched,
      RowPitchView(texture.data(), {kRows, kColumns, kChannels}, kPitch));
  std::cout << "pitched: " << pitched.desc.size_bytes() << " bytes of "
            << texture.size() << ", rows " << kPitch << " apart\n";

  // The dimensions stay [H,W,C]; in memory the channel varies slowest.
  STRIDECAST_ASSIGN_OR_RETURN(const DimensionOrder planes,
                              LayoutNamed("CHW", "HWC"));
  STRIDECAST_ASSIGN_OR_RETURN(const OwnedTensor packed,
                              client.Relayout(pitched, planes));
  STRIDECAST_RETURN_IF_ERROR(CheckPlanes(packed.slots<uint8_t>()));
  std::cout << "packed:  " << packed.desc().ToString() << ", "
            << packed.desc().size_bytes() << " bytes; pixel (1,2) is";
  for (int64_t c = 0; c < kChannels; ++c) {
    std::cout << " " << int{packed.at<uint8_t>({1, 2, c})};
  }
  std::cout << "\n";

  std::vector<uint8_t> upload(texture.size(), kNotOurs);
  STRIDECAST_ASSIGN_OR_RETURN(
      const MutableTensorView target,
      MutableRowPitchView(upload.data(), {kRows, kColumns, kChannels}, kPitch));
  STRIDECAST_RETURN_IF_ERROR(client.RelayoutInto(packed.view(), target));
  STRIDECAST_RETURN_IF_ERROR(
      Check(upload == texture, "the buffer for the upload"));
  std::cout << "and back: the same pixels, nothing written between the rows\n";

  // uint8_t memory[128][256][4]: the tensor fills a corner of it.
  STRIDECAST_ASSIGN_OR_RETURN(const DimensionOrder tiles,
                              PaddedLayoutNamed("HWC", {128, 256, kChannels},
                                                PaddingValue::kOne, "HWC"));
  STRIDECAST_ASSIGN_OR_RETURN(const OwnedTensor padded,
                              client.Relayout(packed.view(), tiles));
  const auto memory = padded.slots<uint8_t>();
  for (int64_t slot = 0; slot < padded.desc().size_bytes(); ++slot) {
    const int64_t i = slot / (256 * kChannels), j = slot / kChannels % 256;
    const uint8_t expected =
        i < kRows && j < kColumns ? Pixel(i, j, slot % kChannels) : 1;
    STRIDECAST_RETURN_IF_ERROR(Check(
        memory[static_cast<size_t>(slot)] == expected, "the padded tensor"));
  }
  STRIDECAST_ASSIGN_OR_RETURN(const OwnedTensor again,
                              client.Relayout(padded.view(), planes));
  STRIDECAST_RETURN_IF_ERROR(CheckPlanes(again.slots<uint8_t>()));
  std::cout << "padded:  " << padded.desc().size_bytes()
            << " bytes, ones around the picture, and packed again\n";
  return absl::OkStatus();
}

}  // namespace
}  // namespace stridecast

int main(int argc, char** argv) {
  const std::string server = argc > 1 ? argv[1] : "127.0.0.1:50051";
  if (server == "--help") {
    std::cout << "usage: stridecast-padded-to-packed [host:port]\n";
    return 0;
  }
  const absl::Status status = stridecast::Run(server);
  if (status.ok()) return 0;
  std::cerr << "stridecast-padded-to-packed: "
            << status.ToString(absl::StatusToStringMode::kWithNoExtraData)
            << "\n";
  return 1;
}
