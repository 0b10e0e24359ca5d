// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Where in a kernel's source a thread is: a word of the vocabulary, a file and a line.

#include <cstring>
#include <iterator>
#include <string>

#include <snack/core/error.hpp>
#include <snack/core/types.hpp>

namespace snack::inline v0::simt {

/// A line of source; as a default argument, the line of the call.
struct SourceLine {
    int line = 0;
    const char* file = "";

    static constexpr SourceLine current(int line = __builtin_LINE(), const char* file = __builtin_FILE()) {
        return {line, file};
    }
};

/// The words that a thread can wait at or misuse.
enum class Word : std::uint8_t {
    sync_block,
    sync_cluster,
    sync_warp,
    shuffle,
    shuffle_down,
    shuffle_xor,
    ballot,
    any,
    atomic_add,
    atomic_min,
    shared,
    cluster_shared,
    load_streaming,
    load_read_only,
    load_pack,
    load_pack_streaming,
    store_pack,
    copy_async,
    count,  ///< of the words above; none itself
};

constexpr const char* name_of(Word word) {
    constexpr const char* names[] = {"sync_block",     "sync_cluster",   "sync_warp", "shuffle",
                                     "shuffle_down",   "shuffle_xor",    "ballot",    "any",
                                     "atomic_add",     "atomic_min",     "shared",    "cluster_shared",
                                     "load_streaming", "load_read_only", "load_pack", "load_pack_streaming",
                                     "store_pack",     "copy_async"};
    static_assert(std::size(names) == static_cast<std::size_t>(Word::count), "a name for each word");
    return names[static_cast<int>(word)];
}

struct CallSite {
    Word word = Word::sync_block;
    SourceLine at;

    bool operator==(const CallSite& other) const {
        return word == other.word && at.line == other.at.line &&
               (at.file == other.at.file || std::strcmp(at.file, other.at.file) == 0);
    }
};

/// Appends "shuffle (kernel.hpp:12)".
inline void append(std::string& text, const CallSite& site) {
    const char* const slash = std::strrchr(site.at.file, '/');
    text += name_of(site.word);
    text += " (";
    text += slash != nullptr ? slash + 1 : site.at.file;
    text += ':';
    text += std::to_string(site.at.line);
    text += ')';
}

}  // namespace snack::inline v0::simt
