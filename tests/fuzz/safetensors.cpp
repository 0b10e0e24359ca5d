// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Any bytes as a safetensors file: a typed error, or tensors that are the same when they are written and read again.

#include <optional>

#include <snack/io/safetensors.hpp>
#include <snack/io/safetensors_writer.hpp>
#include <tests/fuzz/memory_file.hpp>
#include <tests/fuzz/safetensors_mutator.hpp>

using namespace snack;
using io::Safetensors;

namespace {

std::vector<std::byte> bytes_of(const Safetensors& file, const io::TensorInfo& tensor) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(tensor.end - tensor.begin));
    file.read_bytes(tensor, 0, bytes);
    return bytes;
}

void read_as_everything(const Safetensors& file, const io::TensorInfo& tensor) {
    if (!io::is_decoded(tensor.dtype)) {
        return;
    }
    file.read<float>(tensor);
    file.read<double>(tensor);
    std::vector<Size> integers(static_cast<std::size_t>(tensor.elements));
    try {
        file.read_integers(tensor, 0, integers);
    } catch (const FormatError&) {
        return;  // no integers, or too large ones
    }
}

void require_same(const Safetensors& a, const Safetensors& b) {
    fuzz::require_law(a.metadata() == b.metadata(), "metadata come back");
    fuzz::require_law(a.tensors().size() == b.tensors().size(), "all tensors come back");
    for (const io::TensorInfo& tensor : a.tensors()) {
        const io::TensorInfo& again = b.at(tensor.name);
        fuzz::require_law(again.dtype == tensor.dtype && again.shape == tensor.shape, "types and shapes come back");
        fuzz::require_law(bytes_of(a, tensor) == bytes_of(b, again), "elements come back");
    }
}

/// Nothing if the bytes are refused, as they may be.
std::optional<Safetensors> open(const std::uint8_t* data, std::size_t size) {
    const io::Budget budget{.elements = 1 << 16, .header_bytes = 1 << 16, .tensors = 256, .string_bytes = 1 << 12};
    try {
        return Safetensors(fuzz::source_of(data, size), budget);
    } catch (const Error&) {
        return std::nullopt;
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::optional<Safetensors> file = open(data, size);
    if (!file) {
        return 0;
    }
    io::SafetensorsWriter writer;
    for (const auto& [name, text] : file->metadata()) {
        writer.set_metadata(name, text);
    }
    for (const io::TensorInfo& tensor : file->tensors()) {
        read_as_everything(*file, tensor);
        writer.add(tensor.name, tensor.dtype, tensor.shape,
                   [&](Size first, std::span<std::byte> to) { file->read_bytes(tensor, first, to); });
    }
    fuzz::MemoryFile again;
    writer.write_to(again);
    require_same(*file, Safetensors(again.source()));
    return 0;
}
