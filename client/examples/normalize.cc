// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The main job of those who feed models: a batch of pictures, u8 [N,H,W,C] as
// they come from a camera, becomes (x / 255 - mean) / deviation as f32
// [N,C,H,W], in one call. The answer is checked against plain loops, bit by
// bit, and turned back into a picture.
//
//   stridecast-normalize [--server S] [--batch N] in.ppm ... [--out out.ppm]
//
// Layout is not transpose. This program uses both:
//   - Normalize TRANSPOSES: the model wants tensors whose dimension 1 is the
//     channel, so the logical dimensions themselves change, from [N,H,W,C] to
//     [N,C,H,W]. In memory the result is row-major: whole planes of a channel.
//   - Restore asks for a LAYOUT: its result still is [N,C,H,W], dimension 1 is
//     still the channel, but minor_to_major {1,3,2,0} says that the channel
//     varies fastest in memory, then W, H, N. Those bytes are an interleaved
//     picture, and can be written to a file as they are.

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "stridecast/client.h"
#include "stridecast/layouts.h"
#include "stridecast/program.h"
#include "stridecast/return_if_error.h"

namespace stridecast {
namespace {

// Of the pictures of ImageNet, per channel.
constexpr float kMean[] = {0.485f, 0.456f, 0.406f};
constexpr float kDeviation[] = {0.229f, 0.224f, 0.225f};

struct Flags {
  std::string server = "127.0.0.1:50051";
  std::vector<std::string> pictures;
  std::string output;
  int64_t batch = 0;
  int repeats = 9;
};

Signature Normalize(const TensorDesc& images) {
  ProgramBuilder b;
  Value x = b.Convert(b.Parameter(images), DType::kF32);
  x = b.Divide(x, b.Constant(255.0f));  // a scalar needs no dimensions
  // Dimension 0 of the vectors is dimension 3 of the images: the channel.
  x = b.Subtract(x, b.Constant(kMean), {3});
  x = b.Divide(x, b.Constant(kDeviation), {3});
  b.Result(b.Transpose(x, *TransposeNamed("NHWC", "NCHW")));  // {0,3,1,2}
  return *b.Build();
}

Signature Restore(const TensorDesc& normalized) {
  ProgramBuilder b;
  Value x = b.Parameter(normalized);
  // The channel is dimension 1 now.
  x = b.Multiply(x, b.Constant(kDeviation), {1});
  x = b.Add(x, b.Constant(kMean), {1});
  x = b.Multiply(x, b.Constant(255.0f));
  // Convert cuts off towards zero: with 0.5 added first it rounds.
  x = b.Add(x, b.Constant(0.5f));
  x = b.Clamp(b.Constant(0.0f), x, b.Constant(255.0f));
  b.Result(b.Convert(x, DType::kU8), *LayoutNamed("NHWC"));
  return *b.Build();
}

// u8 [H,W,3], of a binary PPM whose header has no comments.
absl::StatusOr<OwnedTensor> ReadPicture(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return absl::NotFoundError(absl::StrCat(path, ": cannot be read"));
  std::string magic;
  int64_t width = 0, height = 0, greatest = 0;
  file >> magic >> width >> height >> greatest;
  if (!file || magic != "P6" || greatest != 255 || width * height == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": no 8-bit colour picture (P6)"));
  }
  file.get();  // the blank after the header
  STRIDECAST_ASSIGN_OR_RETURN(
      const TensorDesc desc,
      TensorDesc::Create(DType::kU8, {height, width, 3}));
  STRIDECAST_ASSIGN_OR_RETURN(OwnedTensor picture, OwnedTensor::Allocate(desc));
  file.read(reinterpret_cast<char*>(picture.data()), desc.size_bytes());
  if (!file) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": is cut off"));
  }
  return picture;
}

absl::Status WritePicture(const std::string& path, int64_t width,
                          int64_t height, const std::byte* samples) {
  std::ofstream file(path, std::ios::binary);
  file << "P6\n" << width << " " << height << "\n255\n";
  file.write(reinterpret_cast<const char*>(samples), width * height * 3);
  file.close();
  if (file) return absl::OkStatus();
  return absl::UnknownError(absl::StrCat(path, ": cannot be written"));
}

// N pictures one behind the other, from one or more files in turn.
absl::StatusOr<OwnedTensor> LoadBatch(const Flags& flags) {
  std::vector<OwnedTensor> pictures;
  for (const std::string& path : flags.pictures) {
    STRIDECAST_ASSIGN_OR_RETURN(OwnedTensor picture, ReadPicture(path));
    pictures.push_back(std::move(picture));
    if (!(pictures.back().desc().shape() == pictures[0].desc().shape())) {
      return absl::InvalidArgumentError(absl::StrCat(
          path, ": ", pictures.back().desc().ToString(),
          " has not the first one's size, ", pictures[0].desc().ToString()));
    }
  }
  const auto extents = pictures[0].desc().shape().extents();
  const int64_t batch =
      flags.batch > 0 ? flags.batch : static_cast<int64_t>(pictures.size());
  STRIDECAST_ASSIGN_OR_RETURN(
      const TensorDesc desc,
      TensorDesc::Create(DType::kU8,
                         {batch, extents[0], extents[1], extents[2]}));
  STRIDECAST_ASSIGN_OR_RETURN(OwnedTensor images, OwnedTensor::Allocate(desc));
  const auto size = static_cast<size_t>(pictures[0].desc().size_bytes());
  for (size_t n = 0; n < static_cast<size_t>(batch); ++n) {
    std::memcpy(images.data() + n * size, pictures[n % pictures.size()].data(),
                size);
  }
  return images;
}

// How many elements of `normalized` are not exactly what these loops give.
// IEEE arithmetic, one rounding per step: the server promises the same bits.
int64_t CountDifferences(const OwnedTensor& images,
                         const OwnedTensor& normalized) {
  const auto extents = images.desc().shape().extents();
  const auto pixels = images.slots<uint8_t>();
  const auto planes = normalized.slots<float>();
  const auto height = static_cast<size_t>(extents[1]);
  const auto width = static_cast<size_t>(extents[2]);
  int64_t differences = 0;
  for (size_t n = 0; n < static_cast<size_t>(extents[0]); ++n) {
    for (size_t h = 0; h < height; ++h) {
      for (size_t w = 0; w < width; ++w) {
        for (size_t c = 0; c < 3; ++c) {
          const uint8_t x = pixels[((n * height + h) * width + w) * 3 + c];
          const float scaled = static_cast<float>(x) / 255.0f;
          const float expected = (scaled - kMean[c]) / kDeviation[c];
          const float actual = planes[((n * 3 + c) * height + h) * width + w];
          if (actual != expected) ++differences;
        }
      }
    }
  }
  return differences;
}

// Prints the median time of `call`, repeated, and its bytes both ways by it.
template <typename Call>
absl::Status Measure(const char* name, const TensorDesc& operand,
                     const TensorDesc& result, int repeats, Call call) {
  std::vector<absl::Duration> times;
  for (int i = 0; i < repeats; ++i) {
    const absl::Time start = absl::Now();
    STRIDECAST_RETURN_IF_ERROR(call());
    times.push_back(absl::Now() - start);
  }
  const auto middle = times.begin() + repeats / 2;
  std::nth_element(times.begin(), middle, times.end());
  const double bytes =
      static_cast<double>(operand.size_bytes() + result.size_bytes());
  std::cout << absl::StrFormat(
      "%s: %s -> %s, %.2f ms, %.2f GB/s in and out (median of %d)\n", name,
      operand.ToString(), result.ToString(),
      absl::ToDoubleMilliseconds(*middle),
      bytes / 1e9 / absl::ToDoubleSeconds(*middle), repeats);
  return absl::OkStatus();
}

absl::Status Run(const Flags& flags) {
  STRIDECAST_ASSIGN_OR_RETURN(const OwnedTensor images, LoadBatch(flags));
  const Client client = Client::Connect(flags.server);

  const Signature normalize = Normalize(images.desc());
  STRIDECAST_ASSIGN_OR_RETURN(auto normalized,
                              client.Compute(normalize, {images.view()}));
  const int64_t differences = CountDifferences(images, normalized[0]);
  if (differences != 0) {
    return absl::InternalError(absl::StrCat(
        differences, " elements differ from the computation in plain loops"));
  }
  STRIDECAST_RETURN_IF_ERROR(Measure(
      "normalize", images.desc(), normalized[0].desc(), flags.repeats, [&] {
        return client.ComputeInto(normalize, {images.view()},
                                  {normalized[0].mutable_view()});
      }));
  std::cout << "equal, bit by bit, to the computation in plain loops: "
            << normalized[0].desc().num_elements() << " elements\n";

  const Signature restore = Restore(normalized[0].desc());
  STRIDECAST_ASSIGN_OR_RETURN(auto restored,
                              client.Compute(restore, {normalized[0].view()}));
  STRIDECAST_RETURN_IF_ERROR(Measure(
      "restore", normalized[0].desc(), restored[0].desc(), flags.repeats, [&] {
        return client.ComputeInto(restore, {normalized[0].view()},
                                  {restored[0].mutable_view()});
      }));
  const auto before = images.slots<uint8_t>();
  const auto after = restored[0].slots<uint8_t>();
  if (!std::equal(before.begin(), before.end(), after.begin(), after.end())) {
    return absl::InternalError("the pictures did not survive the round trip");
  }
  std::cout << "there and back, the pictures are what they were\n";
  if (flags.output.empty()) return absl::OkStatus();

  // The first picture of the batch; its memory is [H,W,C].
  const auto extents = images.desc().shape().extents();
  STRIDECAST_RETURN_IF_ERROR(
      WritePicture(flags.output, extents[2], extents[1], restored[0].data()));
  std::cout << "wrote " << flags.output << "\n";
  return absl::OkStatus();
}

}  // namespace
}  // namespace stridecast

int main(int argc, char** argv) {
  stridecast::Flags flags;
  CLI::App app("Normalizes pictures on a stridecast server, and back");
  app.add_option("--server", flags.server, "host:port")
      ->envname("STRIDECAST_SERVER")
      ->capture_default_str();
  app.add_option("--batch", flags.batch,
                 "Pictures per call; files are repeated in turn");
  app.add_option("--repeats", flags.repeats, "Calls to measure")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  app.add_option("--out", flags.output, "Where to write the restored picture");
  app.add_option("pictures", flags.pictures, "P6 pictures of one size")
      ->required();
  app.failure_message([](const CLI::App*, const CLI::Error& error) {
    return std::string(error.what()) + "\n";
  });
  CLI11_PARSE(app, argc, argv);
  const absl::Status status = stridecast::Run(flags);
  if (status.ok()) return 0;
  std::cerr << "stridecast-normalize: "
            << status.ToString(absl::StatusToStringMode::kWithNoExtraData)
            << "\n";
  return 1;
}
