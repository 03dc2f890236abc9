/** Translates requests of the Messages API into chat requests. */
@NullMarked
package io.sluice.gateway.messages.chat;

import org.jspecify.annotations.NullMarked;
