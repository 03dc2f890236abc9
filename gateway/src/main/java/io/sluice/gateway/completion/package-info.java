/** Chat completions and completions, streamed and whole. */
@NullMarked
package io.sluice.gateway.completion;

import org.jspecify.annotations.NullMarked;
