/**
 * The topics of a pool in Kafka: which there are, how many replicas they have, and how long they
 * keep records.
 */
@NullMarked
package io.sluice.common.topic;

import org.jspecify.annotations.NullMarked;
