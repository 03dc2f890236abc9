/** Anthropic's Messages API. A message is a chat completion of the pool in another form. */
@NullMarked
package io.sluice.gateway.messages;

import org.jspecify.annotations.NullMarked;
