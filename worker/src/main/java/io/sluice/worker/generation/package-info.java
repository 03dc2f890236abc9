/**
 * One running request: its claim, its continuation, its tokens gathered into reply records, and its
 * outcome.
 */
@NullMarked
package io.sluice.worker.generation;

import org.jspecify.annotations.NullMarked;
