// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What a rewire on a GPU did: counts on the host, the maps between old and new entries on the device.

#include <type_traits>
#include <utility>

#include <snack/dst/rewire_report.hpp>
#include <snack/sparse/cuda_topology.cuh>

namespace snack::inline v0 {

namespace detail {

/// to[e] = from[new_to_old[e]], or `fill` where that is -1.
template <class T>
struct GatherOrFill {
    const Size* new_to_old;
    const T* from;
    T* to;
    T fill;

    SNACK_HOST_DEVICE void operator()(Size e) const { to[e] = new_to_old[e] < 0 ? fill : from[new_to_old[e]]; }
};

}  // namespace detail

/// Maps between the entries of two topologies, before and after a rewire; see RewireReport.
class CudaRewireReport {
public:
    CudaRewireReport(CudaTopologyPtr before, CudaTopologyPtr after, DeviceBuffer<Size>&& new_to_old,
                     DeviceBuffer<Size>&& old_to_new, Size dropped, Size grown)
        : before_(std::move(before)),
          after_(std::move(after)),
          new_to_old_(std::move(new_to_old)),
          old_to_new_(std::move(old_to_new)),
          dropped_(dropped),
          grown_(grown) {}

    Size dropped() const noexcept { return dropped_; }  ///< connections that went
    Size grown() const noexcept { return grown_; }      ///< connections that came
    const CudaTopologyPtr& before() const noexcept { return before_; }
    const CudaTopologyPtr& after() const noexcept { return after_; }

    /// For each new entry its old position, or -1 if it was grown (nnz after).
    DeviceSpan<const Size> new_to_old() const noexcept { return new_to_old_.span(); }
    /// For each old entry its new position, or -1 if it was dropped (nnz before).
    DeviceSpan<const Size> old_to_new() const noexcept { return old_to_new_.span(); }

    /// Carries one array along, in place: survivors keep their element bit for bit at its new position, grown
    /// entries get `fill`. O(nnz) asynchronous work, scratch space for a copy of the array.
    /// @throws ShapeError, before anything is written, if the extent is wrong; ArgumentError for an array or a report
    ///         that the device of the context does not reach
    template <class T>
    void apply_map(CudaContext& ctx, DeviceSpan<T> array, const std::type_identity_t<T>& fill) const {
        constexpr const char* where = "CudaRewireReport::apply_map";
        require<ShapeError>(static_cast<Size>(array.size()) == new_to_old_.size() && dropped_ == grown_, where,
                            "span of ", array.size(), " elements for ", old_to_new_.size(), " entries before and ",
                            new_to_old_.size(), " after");
        if (array.empty()) {
            return;
        }
        ctx.require_own(where, "the array", array.data());
        ctx.require_own(where, "the report", new_to_old_.data());
        const DeviceSpan<T> copy = ctx.scratch<T>(scratch_slot, new_to_old_.size());
        ctx.copy(DeviceSpan<const T>(array), copy);
        ctx.for_each_index(new_to_old_.size(),
                           detail::GatherOrFill<T>{new_to_old_.data(), copy.data(), array.data(), fill});
    }

private:
    static constexpr int scratch_slot = -2;  // slots of backends are not negative

    CudaTopologyPtr before_;
    CudaTopologyPtr after_;
    DeviceBuffer<Size> new_to_old_;
    DeviceBuffer<Size> old_to_new_;
    Size dropped_;
    Size grown_;
};

template <>
struct RewireReportTraits<CudaSpace> {
    using type = CudaRewireReport;
};

}  // namespace snack::inline v0
