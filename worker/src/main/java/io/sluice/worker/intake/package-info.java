/**
 * From worker-topic records to running generations, never above the limit and never blocking the
 * poll loop.
 */
@NullMarked
package io.sluice.worker.intake;

import org.jspecify.annotations.NullMarked;
