// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Planted faults in the use of memory: each must be found, by the vocabulary or, for accesses out
// of bounds, by the address sanitizer. Those tests are only there where it is.

#include <limits>
#include <string>

#include <snack/memory/buffer.hpp>
#include <tests/simt/faults.hpp>
#include <tests/simt/orders.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/throws.hpp>

using namespace snack;
using simt::HostLauncher;
using tests::contains;
using tests::fault_of;

namespace {

/// Writes `count` bytes of shared memory from `first` on.
struct FillShared {
    static constexpr const char* name = "FillShared";
    static constexpr int block_threads = 32;
    Size first;
    Size count;

    template <class Thread>
    void operator()(const Thread& thread) const {
        unsigned char* const shared = thread.template shared<unsigned char>();
        for (Size i = thread.lane(); i < count; i += simt::warp_size) {
            shared[first + i] = 0;
        }
    }
};

enum class Misuse { load, streaming, store, from, to, offset, add, min, not_shared };

/// An access to 8 or 16 bytes, misplaced by some of 4.
template <Misuse Which>
struct Misplaced {
    static constexpr const char* name = "Misplaced";
    static constexpr int block_threads = 32;
    float* global;

    template <class Thread>
    void operator()(const Thread& thread) const {
        float* const shared = thread.template shared<float>();
        if constexpr (Which == Misuse::load) {
            thread.template load_pack<4>(global + 1);
        } else if constexpr (Which == Misuse::streaming) {
            thread.template load_pack_streaming<4>(global + 2);
        } else if constexpr (Which == Misuse::store) {
            thread.store_pack(global + 3, simt::Pack<float, 4>{});
        } else if constexpr (Which == Misuse::from) {
            thread.template copy_async<16>(shared, global + 1);
        } else if constexpr (Which == Misuse::to) {
            thread.template copy_async<16>(shared + 1, global);
        } else if constexpr (Which == Misuse::offset) {
            thread.template shared<double>(4);
        } else if constexpr (Which == Misuse::add) {
            thread.atomic_add(reinterpret_cast<double*>(global + 1), 1.0);
        } else if constexpr (Which == Misuse::min) {
            thread.atomic_min(reinterpret_cast<Size*>(global + 3), 1);
        } else {
            thread.template copy_async<16>(global, global);
        }
    }
};

/// Reads shared memory by a word that reads global memory alone: the block's own, or that of the block `further`
/// on in the cluster.
template <simt::Word How>
struct ReadShared {
    static constexpr const char* name = "ReadShared";
    static constexpr int block_threads = 32;
    int further;

    template <class Thread>
    void operator()(const Thread& thread) const {
        float* const own = thread.template shared<float>();
        const int rank = (thread.cluster_rank() + further) % thread.cluster_size();
        thread.sync_cluster();
        const float* const from = thread.cluster_shared(own, rank) + 4;
        if constexpr (How == simt::Word::load_streaming) {
            thread.load_streaming(from);
        } else if constexpr (How == simt::Word::load_read_only) {
            thread.load_read_only(from);
        } else if constexpr (How == simt::Word::load_pack_streaming) {
            thread.template load_pack_streaming<4>(from);
        } else if constexpr (How == simt::Word::copy_async) {
            thread.template copy_async<4>(own, from);
        } else {
            thread.template load_pack<4>(from);
        }
        thread.sync_cluster();
    }
};

/// What is said of own shared memory and of a neighbour's.
template <simt::Word How>
void check_read_of_shared() {
    const std::string word = simt::name_of(How);
    const simt::LaunchShape shape = {.blocks_x = 4, .shared_bytes = 64, .cluster_x = 4};
    for (const int further : {0, 1, 3}) {
        const std::string text = fault_of(ReadShared<How>{further}, shape);
        CHECK(contains(text, word + " (memory_faults.cpp:"));
        CHECK(contains(text, "it reads global memory alone, and the address is in shared memory"));
    }
    CHECK(contains(fault_of(ReadShared<How>{0}, {.shared_bytes = 64}), word));
}

struct SharedOffset {
    static constexpr const char* name = "SharedOffset";
    static constexpr int block_threads = 32;
    Size offset;

    template <class Thread>
    void operator()(const Thread& thread) const {
        thread.template shared<float>(offset);
    }
};

/// Fetches a float and reads it; the wait can come before, after, or not at all.
template <int WaitBefore, bool WaitAfter>
struct Fetch {
    static constexpr const char* name = "Fetch";
    static constexpr int block_threads = 32;
    const float* from;
    float* to;

    template <class Thread>
    void operator()(const Thread& thread) const {
        float* const shared = thread.template shared<float>() + thread.lane();
        thread.template copy_async<4>(shared, from + thread.lane());
        thread.commit_async();
        if constexpr (WaitBefore >= 0) {
            thread.template wait_async<WaitBefore>();
        }
        to[thread.lane()] = *shared;
        if constexpr (WaitAfter) {
            thread.template wait_async<0>();
        }
    }
};

/// A copy that belongs to no group: no wait reaches it.
struct CopyWithoutGroup {
    static constexpr const char* name = "CopyWithoutGroup";
    static constexpr int block_threads = 32;
    const float* from;

    template <class Thread>
    void operator()(const Thread& thread) const {
        thread.template copy_async<4>(thread.template shared<float>() + thread.lane(), from);
        thread.template wait_async<0>();
    }
};

#if SNACK_ADDRESS_SANITIZER
/// to[i] = from[i] with a bounds check that is off by one.
struct CopyOneTooMany {
    static constexpr const char* name = "CopyOneTooMany";
    static constexpr int block_threads = 64;
    const float* from;
    float* to;
    Size count;

    template <class Thread>
    void operator()(const Thread& thread) const {
        thread.sync_warp();
        if (thread.global_index() <= count) {
            to[thread.global_index() % count] = thread.load_read_only(from + thread.global_index());
        }
    }
};
#endif

}  // namespace

TEST_CASE("all of shared memory can be written", "[kernels][simt]") {
    const Size bytes = GENERATE(1, 7, 16, 33, 1000);

    tests::in_each_order([&](HostLauncher& launcher) { launcher.run({.shared_bytes = bytes}, FillShared{0, bytes}); });
}

#if SNACK_ADDRESS_SANITIZER
TEST_CASE("the sanitizer finds a write beside shared memory", "[kernels][simt]") {
    const Size bytes = GENERATE(7, 64, 1000);

    CHECK(contains(tests::last_words({.shared_bytes = bytes}, FillShared{0, bytes + 1}),
                   "AddressSanitizer: use-after-poison"));
    CHECK(
        contains(tests::last_words({.shared_bytes = bytes}, FillShared{-1, 1}), "AddressSanitizer: use-after-poison"));
}

TEST_CASE("the sanitizer finds a read beyond a buffer inside a kernel", "[kernels][simt]") {
    const Buffer<float> from(33, 1, nullptr);
    Buffer<float> to(33);

    CHECK(contains(tests::last_words({}, CopyOneTooMany{from.data(), to.data(), 33}),
                   "AddressSanitizer: heap-buffer-overflow"));
}
#else
TEST_CASE("a write beside shared memory is found at the end of the block", "[kernels][simt]") {
    const Size bytes = GENERATE(7, 64, 1000);

    CHECK(contains(fault_of(FillShared{0, bytes + 1}, {.shared_bytes = bytes}),
                   "a thread wrote next to its " + std::to_string(bytes) + " bytes of shared memory"));
    CHECK(contains(fault_of(FillShared{-1, 1}, {.shared_bytes = bytes}), "a thread wrote next to its"));
}
#endif

TEST_CASE("misaligned packs and copies are reported", "[kernels][simt]") {
    Buffer<float> global(16, 0, nullptr);
    const simt::LaunchShape shape = {.shared_bytes = 64};

    CHECK(contains(fault_of(Misplaced<Misuse::load>{global.data()}, shape), "load_pack (memory_faults.cpp:"));
    CHECK(contains(fault_of(Misplaced<Misuse::streaming>{global.data()}, shape),
                   "the address is not a multiple of 16 bytes"));
    CHECK(contains(fault_of(Misplaced<Misuse::store>{global.data()}, shape), "store_pack ("));
    CHECK(contains(fault_of(Misplaced<Misuse::from>{global.data()}, shape), "copy_async ("));
    CHECK(contains(fault_of(Misplaced<Misuse::to>{global.data()}, shape), "not a multiple of 16 bytes"));
    CHECK(contains(fault_of(Misplaced<Misuse::offset>{global.data()}, shape), "not a multiple of 8 bytes"));
}

TEST_CASE("misaligned atomics are reported", "[kernels][simt]") {
    Buffer<float> global(16, 0, nullptr);
    const simt::LaunchShape shape = {.shared_bytes = 64};

    CHECK(contains(fault_of(Misplaced<Misuse::add>{global.data()}, shape), "atomic_add (memory_faults.cpp:"));
    CHECK(contains(fault_of(Misplaced<Misuse::min>{global.data()}, shape), "the address is not a multiple of 8 bytes"));
}

TEST_CASE("a copy to what is not shared memory is reported", "[kernels][simt]") {
    Buffer<float> global(16, 0, nullptr);

    CHECK(contains(fault_of(Misplaced<Misuse::not_shared>{global.data()}, {.shared_bytes = 64}),
                   "the destination is not in shared memory"));
}

TEST_CASE("shared memory is reported where a word reads global memory alone", "[kernels][simt]") {
    check_read_of_shared<simt::Word::load_streaming>();
    check_read_of_shared<simt::Word::load_read_only>();
    check_read_of_shared<simt::Word::load_pack_streaming>();
    check_read_of_shared<simt::Word::copy_async>();
}

TEST_CASE("packs are read from any block's shared memory", "[kernels][simt]") {
    tests::in_each_order([](HostLauncher& launcher) {
        for (const int further : {0, 1, 3}) {
            launcher.run({.blocks_x = 4, .shared_bytes = 64, .cluster_x = 4},
                         ReadShared<simt::Word::load_pack>{further});
        }
    });
}

TEST_CASE("a shared offset out of range is reported", "[kernels][simt]") {
    HostLauncher().run({.shared_bytes = 64}, SharedOffset{60});

    CHECK(contains(fault_of(SharedOffset{64}, {.shared_bytes = 64}), "offset 64 is out of 64 bytes of shared memory"));
    CHECK(contains(fault_of(SharedOffset{-4}, {.shared_bytes = 64}), "offset -4 is out of"));
    CHECK(contains(fault_of(SharedOffset{std::numeric_limits<Size>::max()}, {.shared_bytes = 64}),
                   "offset 9223372036854775807 is out of"));
    CHECK(contains(fault_of(SharedOffset{0}), "offset 0 is out of 0 bytes of shared memory"));
}

TEST_CASE("a copy is there after the wait and poison before it", "[kernels][simt]") {
    const std::vector<float> from(32, 1.5f);

    tests::in_each_order([&](HostLauncher& launcher) {
        std::vector<float> waited(32), late(32), other_group(32);
        launcher.run({.shared_bytes = 128}, Fetch<0, false>{from.data(), waited.data()});
        launcher.run({.shared_bytes = 128}, Fetch<-1, true>{from.data(), late.data()});
        launcher.run({.shared_bytes = 128}, Fetch<1, true>{from.data(), other_group.data()});
        for (std::size_t i = 0; i < 32; ++i) {
            CHECK(waited[i] == 1.5f);
            CHECK(late[i] != late[i]);
            CHECK(other_group[i] != other_group[i]);
        }
    });
}

TEST_CASE("a copy that is never waited for is reported with its line", "[kernels][simt]") {
    const std::vector<float> from(32, 1.5f);
    std::vector<float> to(32);

    CHECK(contains(fault_of(Fetch<-1, false>{from.data(), to.data()}, {.shared_bytes = 128}),
                   "the thread returned and had not waited for this copy"));
    CHECK(contains(fault_of(Fetch<1, false>{from.data(), to.data()}, {.shared_bytes = 128}),
                   "copy_async (memory_faults.cpp:"));
    CHECK(contains(fault_of(CopyWithoutGroup{from.data()}, {.shared_bytes = 128}), "had not waited for this copy"));
}
