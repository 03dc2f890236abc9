/**
 * Token estimates for prompts, accurate enough to choose a lane and to refuse requests that no
 * worker can hold.
 */
@NullMarked
package io.sluice.common.tokens;

import org.jspecify.annotations.NullMarked;
