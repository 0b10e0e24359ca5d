// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Any bytes as an .smtx file: they are refused, or what they mean survives being written and read.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include <snack/io/smtx.hpp>

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
    const TopologyPtr topology = attempt(ctx, io::MemorySource(std::as_bytes(std::span(data, size))));
    if (topology) {
        io::detail::TextSink sink;
        io::detail::put_smtx(ctx, sink, *topology);
        const TopologyPtr again = io::read_smtx(ctx, io::MemorySource(std::as_bytes(std::span(sink.text))));
        if (!same_coordinates(*topology, *again)) {
            std::abort();
        }
    }
    return 0;
}
