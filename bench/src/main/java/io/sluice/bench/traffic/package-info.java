/** A pool whose services are processes of their own, and callers that load it. */
@NullMarked
package io.sluice.bench.traffic;

import org.jspecify.annotations.NullMarked;
