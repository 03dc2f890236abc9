/** Sends requests to the pool: their options, their errors, and who served them. */
@NullMarked
package io.sluice.gateway.pool;

import org.jspecify.annotations.NullMarked;
