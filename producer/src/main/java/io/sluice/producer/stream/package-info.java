/**
 * The implementation of reply streams: folds the records of a request into events, and holds what a
 * reader has not read. Internal to the SDK.
 */
@NullMarked
package io.sluice.producer.stream;

import org.jspecify.annotations.NullMarked;
