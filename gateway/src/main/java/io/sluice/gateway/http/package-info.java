/**
 * What all endpoints share: errors in OpenAI's format, server-sent events, disconnected clients.
 */
@NullMarked
package io.sluice.gateway.http;

import org.jspecify.annotations.NullMarked;
