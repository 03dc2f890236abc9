/**
 * The wire protocol: names of topics, headers, requests, assignments, outcomes and errors, and how
 * they are written to and read from Kafka records.
 */
@NullMarked
package io.sluice.common.protocol;

import org.jspecify.annotations.NullMarked;
