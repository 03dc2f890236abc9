/**
 * What is known of the workers: their snapshots, and the Redis registry through which everybody
 * shares them.
 */
@NullMarked
package io.sluice.fleet;

import org.jspecify.annotations.NullMarked;
