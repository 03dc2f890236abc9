/**
 * The circuit breaker of a worker: a pure transition table, and the same table as a script that
 * applies it in Redis.
 */
@NullMarked
package io.sluice.fleet.breaker;

import org.jspecify.annotations.NullMarked;
