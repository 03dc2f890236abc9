/** OpenAI's Responses API. Its state is in Kafka alone, so any gateway serves any response. */
@NullMarked
package io.sluice.gateway.responses;

import org.jspecify.annotations.NullMarked;
