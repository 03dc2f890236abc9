/**
 * Which worker a request goes to: filters, then scorers, then a sampled pick. Pure: no clock, no
 * Kafka, no Redis.
 */
@NullMarked
package io.sluice.router.policy;

import org.jspecify.annotations.NullMarked;
