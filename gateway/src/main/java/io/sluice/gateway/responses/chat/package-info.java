/** Translates requests of the Responses API into chat requests to the pool. */
@NullMarked
package io.sluice.gateway.responses.chat;

import org.jspecify.annotations.NullMarked;
