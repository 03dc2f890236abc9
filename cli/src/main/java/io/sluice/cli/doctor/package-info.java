/**
 * {@code doctor}: compares Kafka, Redis and the fleet with what a pool needs. Readers ask; rules,
 * which are pure, judge.
 */
@NullMarked
package io.sluice.cli.doctor;

import org.jspecify.annotations.NullMarked;
