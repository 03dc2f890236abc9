/** Request traces: when requests came, how long they were, and what their prompts shared. */
@NullMarked
package io.sluice.bench.trace;

import org.jspecify.annotations.NullMarked;
