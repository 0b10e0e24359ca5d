// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Any bytes as an .smtx file: they are refused, or what they mean survives being written and read.

#include <cstddef>
#include <cstdint>

#include <snack/io/smtx.hpp>
#include <tests/fuzz/memory_file.hpp>

using namespace snack;

namespace {

/// Null if the file is refused, as it may be.
TopologyPtr attempt(HostContext& ctx, const io::Source& source) {
    try {
        return io::read_smtx(ctx, source);
    } catch (const Error&) {
        return nullptr;
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static HostContext ctx({.threads = 1});
    const TopologyPtr topology = attempt(ctx, *fuzz::source_of(data, size));
    if (topology) {
        fuzz::MemoryFile written;
        io::detail::put_smtx(ctx, written, *topology);
        const TopologyPtr again = io::read_smtx(ctx, *written.source());
        fuzz::require_law(same_coordinates(*topology, *again), "coordinates come back");
    }
    return 0;
}
