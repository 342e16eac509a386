//! The only module that calls faer's products and decompositions. It leaves the vector registers of the processor clean.
//!
//! The assembly behind faer's large products ends without `vzeroupper`. The upper halves of the vector registers stay in
//! use, and on Intel processors every later SSE instruction waits for them: code compiled for plain x86-64 that calls `sin`
//! or `exp`, such as a user's objective function, becomes many times slower until the registers are cleared. So each kernel
//! clears them on the thread that ran it.

use std::hint::black_box;

use faer::diag::DiagMut;
use faer::dyn_stack::{MemStack, StackReq};
use faer::linalg::evd::{self, EvdError};
use faer::linalg::lu::partial_pivoting::factor::{self, PartialPivLuParams};
use faer::linalg::matmul;
use faer::linalg::solvers::DenseSolveCore;
use faer::linalg::triangular_solve;
use faer::{Accum, Auto, Mat, MatMut, MatRef, Par, Spec};
use pulp::{Arch, Simd, WithSimd};

/// `dst ← l·r`, or `dst + l·r`.
pub(crate) fn multiply(dst: MatMut<'_, f64>, accum: Accum, l: MatRef<'_, f64>, r: MatRef<'_, f64>) {
    matmul::matmul(dst, accum, l, r, 1.0, Par::Seq);
    clear_vector_registers();
}

/// `dst ← dst − l·r`.
pub(crate) fn subtract_product(dst: MatMut<'_, f64>, l: MatRef<'_, f64>, r: MatRef<'_, f64>) {
    matmul::matmul(dst, Accum::Add, l, r, -1.0, Par::Seq);
    clear_vector_registers();
}

/// `x ← L⁻¹·x`, with the lower triangle of a square matrix; its diagonal is taken as ones.
pub(crate) fn solve_unit_lower(l: MatRef<'_, f64>, x: MatMut<'_, f64>) {
    triangular_solve::solve_unit_lower_triangular_in_place(l, x, Par::Seq);
    clear_vector_registers();
}

/// Computes the eigenvalues of a symmetric matrix in ascending order and, if requested, its eigenvectors.
pub(crate) fn decompose(
    c: MatRef<'_, f64>,
    values: &mut [f64],
    vectors: Option<MatMut<'_, f64>>,
    stack: &mut MemStack,
) -> Result<(), EvdError> {
    let values = DiagMut::from_slice_mut(values);
    let solved = evd::self_adjoint_evd(c, values, vectors, Par::Seq, stack, Default::default());
    clear_vector_registers();
    solved
}

/// Computes the inverse of a square matrix; its entries are not finite if there is none in double precision.
pub(crate) fn invert(a: MatRef<'_, f64>) -> Mat<f64> {
    let inverse = a.partial_piv_lu().inverse();
    clear_vector_registers();
    inverse
}

/// Computes `A = P⁻¹·L·U` in place of A, which may have more rows than columns; the permutation as two lists.
pub(crate) fn decompose_lu(a: MatMut<'_, f64>, forward: &mut [usize], backward: &mut [usize], stack: &mut MemStack) {
    factor::lu_in_place(a, forward, backward, Par::Seq, stack, lu_params());
    clear_vector_registers();
}

/// The workspace for [`decompose_lu`].
pub(crate) fn lu_scratch(n: usize) -> StackReq {
    factor::lu_in_place_scratch::<usize, f64>(n, n, Par::Seq, lu_params())
}

/// A lower recursion threshold than the default takes 4 % less time for a decomposition.
fn lu_params() -> Spec<PartialPivLuParams, f64> {
    let mut params = <PartialPivLuParams as Auto<f64>>::auto();
    params.recursion_threshold = 8;
    Spec::new(params)
}

/// Clears the upper halves of the vector registers.
///
/// An addition of whole vectors, dispatched to the instructions that the processor has: the compiler ends a function that
/// uses these registers with `vzeroupper`. This requires no unsafe code in this crate.
fn clear_vector_registers() {
    struct Add;

    impl WithSimd for Add {
        type Output = ();

        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) {
            let numbers = simd.splat_f64s(black_box(1.0));
            black_box(simd.add_f64s(numbers, numbers));
        }
    }

    if cfg!(target_arch = "x86_64") {
        Arch::new().dispatch(Add);
    }
}
