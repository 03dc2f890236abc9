/**
 * Batch jobs: OpenAI Batch files are streamed through the pool, and interrupted jobs can be
 * continued.
 */
@NullMarked
package io.sluice.producer.batch;

import org.jspecify.annotations.NullMarked;
