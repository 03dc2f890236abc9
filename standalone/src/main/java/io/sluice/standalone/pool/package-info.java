/**
 * The whole pool in one process: which parts it has, and how they are started and stopped together.
 */
@NullMarked
package io.sluice.standalone.pool;

import org.jspecify.annotations.NullMarked;
