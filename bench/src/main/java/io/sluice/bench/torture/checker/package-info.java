/** Checks what the log shows of every request against docs/protocol.md. */
@NullMarked
package io.sluice.bench.torture.checker;

import org.jspecify.annotations.NullMarked;
