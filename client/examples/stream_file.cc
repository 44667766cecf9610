// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// A file of any size through a program into another file. The first is mapped:
// the kernel reads what is about to be sent, and gRPC sends it from there. The
// second is written as the result comes. So neither this process nor the server
// ever holds the whole of either.
//
//   stridecast-stream-file [--server S] [--mib N] in.raw out.raw
//
// in.raw holds f32 numbers; if it is not there it is made, of N MiB. out.raw
// gets x * 0.5 + 1 of each; a sample of them is checked.

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "stridecast/client.h"
#include "stridecast/program.h"
#include "stridecast/return_if_error.h"
#include "stridecast/stream_client.h"

namespace stridecast {
namespace {

struct Flags {
  std::string server = "127.0.0.1:50051";
  int64_t mib = 256;
  std::string input;
  std::string output;
};

// A file of floats as memory, to be read.
class MappedFile {
 public:
  static absl::StatusOr<MappedFile> Open(const std::string& path) {
    struct stat about;
    if (stat(path.c_str(), &about) != 0) return Error(path);
    const auto count = static_cast<size_t>(about.st_size) / sizeof(float);
    if (count == 0 || about.st_size % sizeof(float) != 0) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, ": ", about.st_size, " bytes are no f32 numbers"));
    }
    const int fd = open(path.c_str(), O_RDONLY);
    if (fd < 0) return Error(path);
    void* const address =
        mmap(nullptr, count * sizeof(float), PROT_READ, MAP_SHARED, fd, 0);
    const absl::Status status =
        address == MAP_FAILED ? Error(path) : absl::OkStatus();
    close(fd);  // the mapping keeps the file
    STRIDECAST_RETURN_IF_ERROR(status);
    // Read ahead, and let go of what is behind.
    madvise(address, count * sizeof(float), MADV_SEQUENTIAL);
    return MappedFile({static_cast<const float*>(address), count});
  }

  MappedFile(MappedFile&& other) noexcept
      : numbers_(std::exchange(other.numbers_, {})) {}
  MappedFile& operator=(MappedFile&&) = delete;
  ~MappedFile() {
    if (numbers_.empty()) return;
    munmap(const_cast<float*>(numbers_.data()), numbers_.size_bytes());
  }

  std::span<const float> numbers() const { return numbers_; }

 private:
  explicit MappedFile(std::span<const float> numbers) : numbers_(numbers) {}

  static absl::Status Error(const std::string& path) {
    return absl::ErrnoToStatus(errno, path);
  }

  std::span<const float> numbers_;
};

// Number `i` of the file that is made.
float NumberAt(size_t i) { return static_cast<float>(i % 100'003) / 16; }

absl::Status CannotWrite(const std::string& path) {
  return absl::UnavailableError(absl::StrCat(path, ": cannot be written"));
}

absl::Status MakeFile(const std::string& path, int64_t mib) {
  std::ofstream file(path, std::ios::binary);
  std::vector<float> part(1 << 18);  // 1 MiB
  for (int64_t m = 0; m < mib; ++m) {
    for (size_t i = 0; i < part.size(); ++i) {
      part[i] = NumberAt(static_cast<size_t>(m) * part.size() + i);
    }
    file.write(reinterpret_cast<const char*>(part.data()),
               static_cast<std::streamsize>(part.size() * sizeof(float)));
  }
  file.close();
  return file ? absl::OkStatus() : CannotWrite(path);
}

// Prints a line for each tenth of the way.
StreamOptions WithProgress() {
  StreamOptions options;
  options.on_progress =
      [tenths = int64_t{0}](const StreamProgress& progress) mutable {
        const int64_t now = 10 * progress.received_bytes /
                            std::max<int64_t>(1, progress.result_bytes);
        if (now == tenths) return;
        tenths = now;
        std::cerr << 10 * now << " %: " << (progress.sent_bytes >> 20)
                  << " MiB sent, " << (progress.received_bytes >> 20)
                  << " MiB back\n";
      };
  return options;
}

absl::Status CheckSample(std::span<const float> in,
                         std::span<const float> out) {
  if (out.size() != in.size()) {
    return absl::InternalError(
        absl::StrCat(out.size(), " numbers came of ", in.size()));
  }
  constexpr size_t kSample = 10'000;
  const size_t step = std::max<size_t>(1, in.size() / kSample);
  size_t checked = 0;
  for (size_t i = 0; i < in.size(); i += step, ++checked) {
    if (out[i] != in[i] * 0.5f + 1.0f) {
      return absl::InternalError(absl::StrCat("number ", i, " is ", out[i],
                                              ", computed from ", in[i]));
    }
  }
  if (out.back() != in.back() * 0.5f + 1.0f) {
    return absl::InternalError("the last number is wrong");
  }
  std::cout << "a sample of " << checked + 1 << " numbers is right\n";
  return absl::OkStatus();
}

// Writes what comes to the end of `file`.
WriteBytes Append(std::ofstream& file, const std::string& path) {
  return [&file, &path](int64_t, absl::Span<const std::byte> bytes) {
    file.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    return file ? absl::OkStatus() : CannotWrite(path);
  };
}

// What is not a file, a device or a pipe, must not be replaced by one.
absl::Status CheckReplaceable(const std::string& path) {
  struct stat old = {};
  if (stat(path.c_str(), &old) != 0 || S_ISREG(old.st_mode)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(path + ": is there and no regular file");
}

absl::Status Run(const Flags& flags) {
  STRIDECAST_RETURN_IF_ERROR(CheckReplaceable(flags.output));
  if (access(flags.input.c_str(), F_OK) != 0) {
    STRIDECAST_RETURN_IF_ERROR(MakeFile(flags.input, flags.mib));
  }
  STRIDECAST_ASSIGN_OR_RETURN(const MappedFile in,
                              MappedFile::Open(flags.input));
  const auto count = static_cast<int64_t>(in.numbers().size());
  STRIDECAST_ASSIGN_OR_RETURN(const TensorView x, View(in.numbers(), {count}));
  // Takes the output's name when it is whole: what was there stays till then.
  const std::string part = flags.output + ".part";
  std::ofstream file(part, std::ios::binary);

  ProgramBuilder b;
  const Value half = b.Multiply(b.Parameter(x.desc), b.Constant(0.5f));
  b.Result(b.Add(half, b.Constant(1.0f)));

  const StreamClient stream(Client::Connect(flags.server));
  const absl::Time start = absl::Now();
  absl::Status status =
      stream.Compute(*b.Build(), {x}, {Append(file, part)}, WithProgress());
  file.close();
  if (status.ok() &&
      (!file || std::rename(part.c_str(), flags.output.c_str()) != 0)) {
    status = CannotWrite(flags.output);
  }
  if (!status.ok()) {
    std::remove(part.c_str());
    return status;
  }
  const double seconds = absl::ToDoubleSeconds(absl::Now() - start);
  const double bytes = static_cast<double>(2 * in.numbers().size_bytes());
  std::cout << absl::StrFormat("%s -> %s: %.2f s, %.2f GB/s in and out\n",
                               flags.input, flags.output, seconds,
                               bytes / 1e9 / seconds);
  STRIDECAST_ASSIGN_OR_RETURN(const MappedFile out,
                              MappedFile::Open(flags.output));
  return CheckSample(in.numbers(), out.numbers());
}

}  // namespace
}  // namespace stridecast

int main(int argc, char** argv) {
  stridecast::Flags flags;
  CLI::App app("Sends a file through a program on a stridecast server");
  app.add_option("--server", flags.server, "host:port")
      ->envname("STRIDECAST_SERVER")
      ->capture_default_str();
  app.add_option("--mib", flags.mib, "Size of the input, where it is made")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 20))
      ->capture_default_str();
  app.add_option("input", flags.input, "A file of f32 numbers")->required();
  app.add_option("output", flags.output, "Where the results go")->required();
  app.failure_message([](const CLI::App*, const CLI::Error& error) {
    return std::string(error.what()) + "\n";
  });
  CLI11_PARSE(app, argc, argv);
  const absl::Status status = stridecast::Run(flags);
  if (status.ok()) return 0;
  std::cerr << "stridecast-stream-file: "
            << status.ToString(absl::StatusToStringMode::kWithNoExtraData)
            << "\n";
  return 1;
}
