/**
 * An embedded Kafka: one KRaft node in this process that is both broker and controller. It runs the
 * released server on formatted storage, so that it behaves like a real cluster.
 */
@NullMarked
package io.sluice.standalone.kafka;

import org.jspecify.annotations.NullMarked;
