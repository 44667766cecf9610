// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// libpng reports errors by longjmp. Rule: between setjmp and the last call of
// libpng lie only functions whose locals are trivial (numbers and pointers);
// whatever has a destructor lives in a struct of the caller's, which no jump
// skips.

#include "client/tool/png.h"

#include <png.h>

#include <csetjmp>
#include <cstring>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/tool/picture.h"
#include "stridecast/status_macros.h"

namespace stridecast {
namespace {

constexpr absl::string_view kMagic("\x89PNG\r\n\x1a\n", 8);

// Deflate makes at most 258 bytes of two bits; zlib's own text says 1032.
constexpr size_t kMaxExpansion = 1032;

// The form of the samples in memory, when palettes are colours, pixels have
// whole bytes and transparency is a channel.
struct Header {
  png_uint_32 width;
  png_uint_32 height;
  int channels;
  int bit_depth;
  int stored_bits;  // of one pixel in the file
};

size_t RowBytes(const Header& header) {
  return size_t{header.width} * static_cast<size_t>(header.channels) *
         static_cast<size_t>(header.bit_depth / 8);
}

void KeepError(png_structp png, png_const_charp text) {
  auto* error = static_cast<std::string*>(png_get_error_ptr(png));
  error->assign(text);
  png_longjmp(png, 1);
}

void IgnoreWarning(png_structp, png_const_charp) {}

// A file being read.
struct Reader {
  explicit Reader(absl::string_view file) : rest(file) {
    png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &error, &KeepError,
                                 &IgnoreWarning);
    if (png != nullptr) info = png_create_info_struct(png);
  }
  ~Reader() { png_destroy_read_struct(&png, &info, nullptr); }
  Reader(const Reader&) = delete;

  absl::string_view rest;
  std::string error;
  png_structp png = nullptr;
  png_infop info = nullptr;
};

void Take(png_structp png, png_bytep bytes, size_t count) {
  auto* reader = static_cast<Reader*>(png_get_io_ptr(png));
  if (count > reader->rest.size()) png_error(png, "the file is cut short");
  std::memcpy(bytes, reader->rest.data(), count);
  reader->rest.remove_prefix(count);
}

// Reads up to the samples; takes no memory that grows with the picture.
// False: reader.error says why, here and below.
bool ReadHeader(Reader& reader, Header& header) {
  png_structp png = reader.png;
  png_infop info = reader.info;
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_set_read_fn(png, &reader, &Take);
  // Bounds are set by size, below; comments, profiles and dates do not matter.
  png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
  png_read_info(png, info);
  const bool is_palette =
      png_get_color_type(png, info) == PNG_COLOR_TYPE_PALETTE;
  const bool adds_alpha = png_get_valid(png, info, PNG_INFO_tRNS) != 0;
  const int bits = png_get_bit_depth(png, info);
  const int channels = png_get_channels(png, info);
  header.width = png_get_image_width(png, info);
  header.height = png_get_image_height(png, info);
  header.channels = (is_palette ? 3 : channels) + (adds_alpha ? 1 : 0);
  header.bit_depth = bits == 16 ? 16 : 8;
  header.stored_bits = channels * bits;
  return true;
}

// Reads into `samples`, which has room for header.height rows. libpng takes
// memory for some rows of its own.
bool ReadSamples(Reader& reader, const Header& header, png_bytep samples) {
  png_structp png = reader.png;
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_set_expand(png);
  if (header.bit_depth == 16) png_set_swap(png);
  const int passes = png_set_interlace_handling(png);
  png_read_update_info(png, reader.info);
  const size_t row_bytes = RowBytes(header);
  if (png_get_rowbytes(png, reader.info) != row_bytes) {
    png_error(png, "rows are not as long as the header implies");
  }
  for (int pass = 0; pass < passes; ++pass) {
    for (size_t y = 0; y < header.height; ++y) {
      png_read_row(png, samples + y * row_bytes, nullptr);
    }
  }
  png_read_end(png, nullptr);
  return true;
}

// A file being written.
struct Writer {
  Writer() {
    png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &error, &KeepError,
                                  &IgnoreWarning);
    if (png != nullptr) info = png_create_info_struct(png);
  }
  ~Writer() { png_destroy_write_struct(&png, &info); }
  Writer(const Writer&) = delete;

  std::string file;
  std::string error;
  png_structp png = nullptr;
  png_infop info = nullptr;
};

void Put(png_structp png, png_bytep bytes, size_t count) {
  static_cast<Writer*>(png_get_io_ptr(png))
      ->file.append(reinterpret_cast<const char*>(bytes), count);
}

int ColourType(int channels) {
  constexpr int kTypes[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA,
                            PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGB_ALPHA};
  return kTypes[channels - 1];
}

bool WritePicture(Writer& writer, const Header& header,
                  png_const_bytep samples) {
  png_structp png = writer.png;
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_set_write_fn(png, &writer, &Put, nullptr);
  png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  png_set_IHDR(png, writer.info, header.width, header.height, header.bit_depth,
               ColourType(header.channels), PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, writer.info);
  if (header.bit_depth == 16) png_set_swap(png);
  const size_t row_bytes = RowBytes(header);
  for (size_t y = 0; y < header.height; ++y) {
    png_write_row(png, samples + y * row_bytes);
  }
  png_write_end(png, nullptr);
  return true;
}

absl::Status PngError(absl::string_view what) {
  return PictureError(absl::StrCat("PNG: ", what));
}

absl::Status CheckSize(const Header& header, size_t file_bytes) {
  const size_t row_bytes = RowBytes(header);
  if (row_bytes > static_cast<size_t>(kMaxPngBytes) / header.height) {
    return PngError(absl::StrCat(header.width, " x ", header.height, " x ",
                                 header.channels, " take more than ",
                                 kMaxPngBytes, " bytes, the limit"));
  }
  const size_t stored_bytes = size_t{header.width} * header.height *
                              static_cast<size_t>(header.stored_bits) / 8;
  if (stored_bytes / kMaxExpansion > file_bytes) {
    return PngError(absl::StrCat("states ", header.width, " x ", header.height,
                                 " pixels; a file of ", file_bytes,
                                 " bytes cannot hold as many"));
  }
  return absl::OkStatus();
}

// Reads and checks what comes before the samples.
absl::StatusOr<TensorDesc> Begin(Reader& reader, Header& header,
                                 size_t file_bytes) {
  if (reader.info == nullptr) return PngError("libpng does not start");
  if (!ReadHeader(reader, header)) return PngError(reader.error);
  RETURN_IF_ERROR(CheckSize(header, file_bytes));
  return TensorDesc::Create(header.bit_depth == 16 ? DType::kU16 : DType::kU8,
                            {header.height, header.width, header.channels});
}

}  // namespace

bool LooksLikePng(absl::string_view file) {
  return absl::StartsWith(file, kMagic);
}

absl::StatusOr<DecodedPng> DecodePng(absl::string_view file) {
  Reader reader(file);
  Header header = {};
  DecodedPng decoded;
  ASSIGN_OR_RETURN(decoded.desc, Begin(reader, header, file.size()));
  decoded.samples.resize(static_cast<size_t>(decoded.desc.size_bytes()));
  auto* samples = reinterpret_cast<png_bytep>(decoded.samples.data());
  if (!ReadSamples(reader, header, samples)) return PngError(reader.error);
  return decoded;
}

absl::StatusOr<TensorDesc> DescOfPng(absl::string_view file) {
  Reader reader(file);
  Header header = {};
  return Begin(reader, header, file.size());
}

absl::StatusOr<std::string> EncodePng(const TensorView& picture) {
  ASSIGN_OR_RETURN(const PictureSize size,
                   PictureSizeOf(picture.desc, {1, 2, 3, 4}));
  if (size.width < 1 || size.width > PNG_UINT_31_MAX || size.height < 1 ||
      size.height > PNG_UINT_31_MAX) {
    return PngError(absl::StrCat(size.width, " x ", size.height,
                                 " pixels: each is 1 to 2^31 - 1"));
  }
  const int bit_depth = picture.desc.type() == DType::kU16 ? 16 : 8;
  const Header header = {static_cast<png_uint_32>(size.width),
                         static_cast<png_uint_32>(size.height),
                         static_cast<int>(size.channels), bit_depth,
                         static_cast<int>(size.channels) * bit_depth};
  Writer writer;
  if (writer.info == nullptr) return PngError("libpng does not start");
  const auto* samples = reinterpret_cast<png_const_bytep>(picture.data);
  if (!WritePicture(writer, header, samples)) return PngError(writer.error);
  return std::move(writer.file);
}

}  // namespace stridecast
