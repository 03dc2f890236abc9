/**
 * Turns the records of the worker's topic into running generations. Never exceeds the limit and
 * never blocks the poll loop.
 */
@NullMarked
package io.sluice.worker.intake;

import org.jspecify.annotations.NullMarked;
