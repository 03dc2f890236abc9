/**
 * Reply records and the reading rule that turns a partition of them into exactly-once token
 * streams.
 */
@NullMarked
package io.sluice.common.reply;

import org.jspecify.annotations.NullMarked;
