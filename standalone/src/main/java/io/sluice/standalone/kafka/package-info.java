/**
 * An embedded Kafka: one KRaft node, broker and controller in one, inside this process. It is the
 * released server over formatted storage, so what works against it works against a real cluster.
 */
@NullMarked
package io.sluice.standalone.kafka;

import org.jspecify.annotations.NullMarked;
