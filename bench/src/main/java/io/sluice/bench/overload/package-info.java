/** What callers of a gateway see when far more comes than the pool can answer. */
@NullMarked
package io.sluice.bench.overload;

import org.jspecify.annotations.NullMarked;
