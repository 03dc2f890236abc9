/** Servers of OpenAI's API under requests that come when they come, and how many are in time. */
@NullMarked
package io.sluice.bench.load;

import org.jspecify.annotations.NullMarked;
