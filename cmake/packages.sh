# Installs the Debian or Ubuntu packages that are missing; sourced by examples/run.sh, tests/run.sh and bench/run.sh.
#   install_missing "TEST COMMAND:PACKAGE" ...   installs PACKAGE if the command fails
# Without apt-get, root and sudo it prints the one line to run, and exits with status 1.
#   has_working_nvcc   succeeds if nvcc can compile the library; if not, $nvcc_fault says why

has_header() { # has_header FILE: whether the compiler finds it
    printf '#include <%s>\n' "$1" | g++ -std=c++20 -E -x c++ - >/dev/null 2>&1
}

has_library() { # has_library NAME: whether the linker finds it
    echo 'int main() {}' | g++ -x c++ - -l"$1" -o /dev/null >/dev/null 2>&1
}

has_command() { command -v "$1" >/dev/null 2>&1; }

has_clang_sanitizers() { # whether clang finds their runtimes, and libFuzzer's
    echo 'extern "C" int LLVMFuzzerTestOneInput(const char*, unsigned long) { return 0; }' |
        clang++ -fsanitize=fuzzer,address,undefined -x c++ - -o /dev/null >/dev/null 2>&1
}

# Distributions ship versions that are too old, or that refuse their compiler.
has_working_nvcc() {
    nvcc_fault="nvcc was not found"
    has_command nvcc || return 1
    nvcc_release=$(nvcc --version 2>/dev/null | sed -n 's/.*release \([0-9][0-9]*\.[0-9][0-9]*\).*/\1/p')
    nvcc_fault="nvcc does not say its version"
    [ -n "$nvcc_release" ] || return 1
    nvcc_fault="nvcc is $nvcc_release, and the library needs 12.2 or newer"
    case $nvcc_release in
        ?.* | 1[01].* | 12.[01]) return 1 ;;
    esac
    nvcc_fault="nvcc $nvcc_release cannot compile an empty C++20 file"
    nvcc_work=$(mktemp -d)
    : >"$nvcc_work/empty.cu"
    nvcc_status=0
    nvcc -std=c++20 -c "$nvcc_work/empty.cu" -o "$nvcc_work/empty.o" >/dev/null 2>&1 || nvcc_status=1
    rm -rf "$nvcc_work"
    return $nvcc_status
}

install_missing() {
    missing=""
    for need in "$@"; do
        ${need%:*} || missing="$missing ${need##*:}"
    done
    [ -n "$missing" ] || return 0
    install="apt-get install -y --no-install-recommends$missing"
    become=""
    if [ "$(id -u)" != 0 ]; then
        become="sudo "
    fi
    if ! has_command apt-get || { [ -n "$become" ] && ! { has_command sudo && sudo -v; }; }; then
        echo "snack: these packages are missing; install them with: sudo apt-get update && sudo $install" >&2
        exit 1
    fi
    echo "Installing$missing"
    packages_log=$(mktemp)
    if ! { ${become}apt-get update && DEBIAN_FRONTEND=noninteractive ${become}$install; } >"$packages_log" 2>&1; then
        cat "$packages_log" >&2
        echo "snack: could not install the packages; try: sudo apt-get update && sudo $install" >&2
        exit 1
    fi
    rm -f "$packages_log"
}

# quietly COMMAND...: shows the output only if the command fails
quietly() {
    quiet_log=$(mktemp)
    if "$@" >"$quiet_log" 2>&1; then
        rm -f "$quiet_log"
    else
        status=$?
        cat "$quiet_log" >&2
        rm -f "$quiet_log"
        return $status
    fi
}
