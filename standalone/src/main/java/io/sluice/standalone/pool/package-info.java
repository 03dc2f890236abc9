/** The whole pool in one process: its parts, and how they are started and stopped together. */
@NullMarked
package io.sluice.standalone.pool;

import org.jspecify.annotations.NullMarked;
