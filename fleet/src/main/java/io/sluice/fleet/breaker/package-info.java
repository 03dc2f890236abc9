/**
 * The circuit breaker of a worker: a pure transition table, held to the same answers by the script
 * that applies it in Redis.
 */
@NullMarked
package io.sluice.fleet.breaker;

import org.jspecify.annotations.NullMarked;
