/**
 * The inference engine as a typed stream of tokens that can be cancelled, whatever its dialect.
 * This package uses no framework.
 */
@NullMarked
package io.sluice.worker.engine;

import org.jspecify.annotations.NullMarked;
