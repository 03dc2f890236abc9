/** A pool whose services are processes of their own, and callers that load it. */
@NullMarked
package io.sluice.bench.load;

import org.jspecify.annotations.NullMarked;
