/**
 * The means of all checks of a pool with a real engine: what is watched, how the way to the engine
 * is disturbed, and what is found.
 */
@NullMarked
package io.sluice.standalone.verify.pool;

import org.jspecify.annotations.NullMarked;
