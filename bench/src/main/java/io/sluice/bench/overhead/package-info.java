/**
 * What a gateway or proxy adds to streams: time to the first token, lag of each token, processor
 * time.
 */
@NullMarked
package io.sluice.bench.overhead;

import org.jspecify.annotations.NullMarked;
