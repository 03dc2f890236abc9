/** What a pool's topics say about its requests and what happened to them. */
@NullMarked
package io.sluice.bench.replay.log;

import org.jspecify.annotations.NullMarked;
