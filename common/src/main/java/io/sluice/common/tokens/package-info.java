/**
 * Token estimates for prompts, good enough to choose a lane and to refuse what no worker can hold.
 */
@NullMarked
package io.sluice.common.tokens;

import org.jspecify.annotations.NullMarked;
