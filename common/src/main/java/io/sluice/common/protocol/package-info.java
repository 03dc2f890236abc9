/**
 * The wire protocol: topics, headers, requests, assignments, outcomes and error kinds, and how each
 * is written to and read from Kafka records.
 */
@NullMarked
package io.sluice.common.protocol;

import org.jspecify.annotations.NullMarked;
