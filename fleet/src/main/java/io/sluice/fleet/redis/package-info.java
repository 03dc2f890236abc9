/**
 * The connection to Redis: settings, calls with a bound, key names, and what is common to scripts.
 */
@NullMarked
package io.sluice.fleet.redis;

import org.jspecify.annotations.NullMarked;
