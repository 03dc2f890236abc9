/**
 * Reply records, and the reading rule that turns a partition of them into token streams that
 * contain every token exactly once.
 */
@NullMarked
package io.sluice.common.reply;

import org.jspecify.annotations.NullMarked;
