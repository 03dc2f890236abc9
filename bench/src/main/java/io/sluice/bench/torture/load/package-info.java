/**
 * What callers send to the pool: planned requests, the callers that send them, and how each kind of
 * request may end.
 */
@NullMarked
package io.sluice.bench.torture.load;

import org.jspecify.annotations.NullMarked;
