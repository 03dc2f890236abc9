/**
 * The reading of reply partitions from any offset, shared by all who follow the same partition.
 * Internal to the SDK.
 */
@NullMarked
package io.sluice.producer.follow;

import org.jspecify.annotations.NullMarked;
