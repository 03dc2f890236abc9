/**
 * The engine as a typed stream of tokens that can be cancelled, whatever dialect it speaks. No
 * framework.
 */
@NullMarked
package io.sluice.worker.engine;

import org.jspecify.annotations.NullMarked;
