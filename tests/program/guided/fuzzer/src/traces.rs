//! Traces of the program's own instructions, whoever calls it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use litesvm::{InvocationInspectCallback, LiteSVM};
use solana_address::Address;
use solana_program_runtime::invoke_context::{Executable, InvokeContext, RegisterTrace};
use solana_transaction::sanitized::SanitizedTransaction;
use solana_transaction_context::{IndexOfAccount, instruction::InstructionContext};

/// The register that counts the program's instructions, as the trace has it.
pub const COUNTER: usize = 11;

/// Something that keeps what it needs of each trace.
pub trait Follow: Send + 'static {
    fn follow(&mut self, trace: RegisterTrace);
}

/// Follower of a program's traces; a copy shares it.
pub struct Watch<F> {
    program: Address,
    follower: Arc<Mutex<F>>,
}

impl<F> Clone for Watch<F> {
    fn clone(&self) -> Self {
        Self { program: self.program, follower: Arc::clone(&self.follower) }
    }
}

impl<F: Follow> Watch<F> {
    pub fn new(program: Address, follower: F) -> Self {
        Self { program, follower: Arc::new(Mutex::new(follower)) }
    }

    pub fn follower(&self) -> MutexGuard<'_, F> {
        self.follower.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<F: Follow> InvocationInspectCallback for Watch<F> {
    fn before_invocation(
        &self,
        _: &LiteSVM,
        _: &SanitizedTransaction,
        _: &[IndexOfAccount],
        _: &mut InvokeContext,
        _: bool,
    ) {
    }

    fn after_invocation(
        &self,
        _: &LiteSVM,
        _: &SanitizedTransaction,
        _: &[IndexOfAccount],
        context: &InvokeContext,
        _: bool,
    ) {
        context.iterate_vm_traces(&|called: InstructionContext, _: &Executable, trace: RegisterTrace| {
            if called.get_program_key().is_ok_and(|program| *program == self.program) {
                self.follower().follow(trace);
            }
        });
    }
}
