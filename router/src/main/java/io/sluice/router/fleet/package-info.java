/**
 * The router's view of the workers: an immutable snapshot, swapped on every change, that stream
 * threads only read.
 */
@NullMarked
package io.sluice.router.fleet;

import org.jspecify.annotations.NullMarked;
