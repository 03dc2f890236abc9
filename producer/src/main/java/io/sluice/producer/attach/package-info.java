/**
 * Reads answers of which only the request's id is known: follows them, or reads what is there.
 * Internal to the SDK.
 */
@NullMarked
package io.sluice.producer.attach;

import org.jspecify.annotations.NullMarked;
