/**
 * One trace through all stages of a request: spans as plain facts that each stage hands to a {@link
 * io.sluice.common.trace.SpanSink}. Knows no tracing library.
 */
@NullMarked
package io.sluice.common.trace;

import org.jspecify.annotations.NullMarked;
