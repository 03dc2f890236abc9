/**
 * Bulk jobs: OpenAI Batch files in and out, streamed through the pool, and continued where they
 * stopped.
 */
@NullMarked
package io.sluice.producer.batch;

import org.jspecify.annotations.NullMarked;
