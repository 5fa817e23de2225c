"""Copy rustc's library source and make its std build for target_os = "solana".

Usage: patch_std.py RUST_SRC_LIBRARY OUT_DIR

std has no port for Solana upstream. These edits give it one that is never linked in
practice (programs are LTO'd down to core and alloc), but lets crates that name std compile:
* every place that has a zkvm port takes it for solana too;
* a panic and an allocation failure end in the VM's own sol_panic_ / abort;
* hash maps take fixed keys, since a program has no mutable statics;
* the 128-bit integer routines return in registers, which is what LLVM's BPF backend calls.
Each edit must match, so a new rustc that moved the code fails here and not at run time.
"""

import pathlib
import re
import shutil
import sys

source, out = map(pathlib.Path, sys.argv[1:])
shutil.rmtree(out, ignore_errors=True)
shutil.copytree(source, out)


def edit(path: str, pattern: str, replacement: str) -> None:
    file = out / path
    text, count = re.subn(pattern, lambda _: replacement, file.read_text())
    if not count:
        sys.exit(f"{path}: nothing matches {pattern!r}; this rustc moved it")
    file.write_text(text)


for file in (out / "std/src/sys").rglob("*.rs"):
    text = file.read_text()
    if 'target_os = "zkvm"' in text:
        file.write_text(text.replace('target_os = "zkvm"', 'any(target_os = "zkvm", target_os = "solana")'))

edit(
    "std/src/sys/alloc/mod.rs",
    r'    target_arch = "xtensa",\n',
    '    target_arch = "xtensa",\n    target_arch = "bpf",\n',
)
edit(
    "std/src/alloc.rs",
    r'if cfg!\(panic = "immediate-abort"\) \{',
    'if cfg!(any(panic = "immediate-abort", target_os = "solana")) {',
)
edit(
    "std/src/panicking.rs",
    r"pub fn panic_handler\(info: &core::panic::PanicInfo<'_>\) -> ! \{\n",
    """pub fn panic_handler(info: &core::panic::PanicInfo<'_>) -> ! {
    #[cfg(target_os = "solana")]
    {
        unsafe extern "C" {
            fn sol_panic_(file: *const u8, len: u64, line: u64, column: u64) -> !;
            fn abort() -> !;
        }
        match info.location() {
            Some(at) => unsafe {
                sol_panic_(at.file().as_ptr(), at.file().len() as u64, at.line() as u64, at.column() as u64)
            },
            None => unsafe { abort() },
        }
    }
    #[cfg(not(target_os = "solana"))]
    hosted_panic_handler(info)
}

#[cfg(not(target_os = "solana"))]
fn hosted_panic_handler(info: &core::panic::PanicInfo<'_>) -> ! {
""",
)
edit(
    "std/src/panicking.rs",
    r"    force_no_backtrace: bool,\n\) -> ! \{\n    let must_abort = panic_count::increase\(true\);\n",
    """    force_no_backtrace: bool,
) -> ! {
    #[cfg(target_os = "solana")]
    {
        let _ = (&payload, location, can_unwind, force_no_backtrace);
        unsafe extern "C" {
            fn abort() -> !;
        }
        unsafe { abort() }
    }
    #[cfg(not(target_os = "solana"))]
    hosted_panic_with_hook(payload, location, can_unwind, force_no_backtrace)
}

#[cfg(not(target_os = "solana"))]
fn hosted_panic_with_hook(
    payload: &mut dyn PanicPayload,
    location: &Location<'_>,
    can_unwind: bool,
    force_no_backtrace: bool,
) -> ! {
    let must_abort = panic_count::increase(true);
""",
)
edit(
    "std/src/hash/random.rs",
    r"    pub fn new\(\) -> RandomState \{\n",
    """    pub fn new() -> RandomState {
        #[cfg(target_os = "solana")]
        return RandomState { k0: 0, k1: 0 };
""",
)
for name in ("mul", "udiv", "sdiv", "shift"):
    edit(f"compiler-builtins/compiler-builtins/src/int/{name}.rs", r'extern "C" fn', 'extern "unadjusted" fn')
