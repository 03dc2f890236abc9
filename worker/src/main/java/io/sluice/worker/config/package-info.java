/** What a worker is told at its start: every key with its unit and its default. */
@NullMarked
package io.sluice.worker.config;

import org.jspecify.annotations.NullMarked;
