/** What a pool's topics tell of its requests and of what became of them. */
@NullMarked
package io.sluice.bench.replay.log;

import org.jspecify.annotations.NullMarked;
