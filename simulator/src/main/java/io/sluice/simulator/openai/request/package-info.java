/**
 * Requests of the OpenAI API as vLLM reads them: JSON bodies, validation, errors and models. The
 * package is independent of the HTTP server.
 */
@NullMarked
package io.sluice.simulator.openai.request;

import org.jspecify.annotations.NullMarked;
