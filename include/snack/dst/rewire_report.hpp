// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What a rewire did: how many connections went and came, and where every surviving one moved.
// With it any array that a trainer keeps per connection (momentum, Adam's moments, fp32 masters,
// ages) follows the topology, whatever its type.

#include <span>
#include <type_traits>
#include <utility>

#include <snack/memory/buffer.hpp>
#include <snack/sparse/topology.hpp>

namespace snack::inline v0 {

/// Maps between the entries of two topologies, before and after a rewire. Survivors keep their
/// order, since both are sorted by (row, column).
class RewireReport {
public:
    RewireReport(TopologyPtr before, TopologyPtr after, Buffer<Size>&& new_to_old, Buffer<Size>&& old_to_new,
                 Size dropped, Size grown)
        : before_(std::move(before)),
          after_(std::move(after)),
          new_to_old_(std::move(new_to_old)),
          old_to_new_(std::move(old_to_new)),
          dropped_(dropped),
          grown_(grown) {}

    Size dropped() const noexcept { return dropped_; }  ///< connections that went
    Size grown() const noexcept { return grown_; }      ///< connections that came
    const TopologyPtr& before() const noexcept { return before_; }
    const TopologyPtr& after() const noexcept { return after_; }

    /// For each new entry its old position, or -1 if it was grown (nnz after).
    std::span<const Size> new_to_old() const noexcept { return new_to_old_.span(); }
    /// For each old entry its new position, or -1 if it was dropped (nnz before).
    std::span<const Size> old_to_new() const noexcept { return old_to_new_.span(); }

    /// Carries one array along, in place: survivors keep their element bit for bit at its new
    /// position, grown entries get `fill`. O(nnz), no allocation.
    ///
    /// @param array  nnz elements in the order before, in the order after on return: a vector, a
    ///               span, or whatever else std::span can be made from
    /// @throws ShapeError, before anything is written, if the extent is wrong
    template <class Array, class T = typename decltype(std::span(std::declval<Array&>()))::value_type>
    void apply_map(Array&& array, const std::type_identity_t<T>& fill) const {
        const std::span<T> elements(array);
        require<ShapeError>(static_cast<Size>(elements.size()) == new_to_old_.size() && dropped_ == grown_,
                            "RewireReport::apply_map", "span of ", elements.size(), " elements for ",
                            old_to_new_.size(), " entries before and ", new_to_old_.size(), " after");
        const T kept_fill = fill;  // `fill` may be an element of the array
        T* const at = elements.data();
        // Survivors keep their order, so those that move left can be moved first to last and
        // those that move right last to first without one overwriting another.
        for (Size e = 0; e < new_to_old_.size(); ++e) {
            if (new_to_old_[e] > e) {
                at[e] = std::move(at[new_to_old_[e]]);
            }
        }
        for (Size e = new_to_old_.size() - 1; e >= 0; --e) {
            if (new_to_old_[e] >= 0 && new_to_old_[e] < e) {
                at[e] = std::move(at[new_to_old_[e]]);
            }
        }
        for (Size e = 0; e < new_to_old_.size(); ++e) {
            if (new_to_old_[e] < 0) {
                at[e] = kept_fill;
            }
        }
    }

    /// The same for code that serves any memory space.
    template <class Context, class T>
    void apply_map(Context&, std::span<T> array, const std::type_identity_t<T>& fill) const {
        apply_map(array, fill);
    }

private:
    TopologyPtr before_;
    TopologyPtr after_;
    Buffer<Size> new_to_old_;
    Buffer<Size> old_to_new_;
    Size dropped_;
    Size grown_;
};

/// The report of a rewire whose maps lie in a memory space; each space specialises it.
template <class Space>
struct RewireReportTraits;

template <>
struct RewireReportTraits<HostSpace> {
    using type = RewireReport;
};

/// Whether the header for that space is included.
template <class Space>
concept CanBeRewiredIn = requires {
    sizeof(RewireReportTraits<Space>);
};

template <class Space>
using RewireReportIn = typename RewireReportTraits<Space>::type;

}  // namespace snack::inline v0
