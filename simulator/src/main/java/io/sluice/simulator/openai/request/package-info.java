/**
 * Requests of the OpenAI API as vLLM reads them: JSON bodies, their validation, the errors and the
 * models that they name. It knows no HTTP server.
 */
@NullMarked
package io.sluice.simulator.openai.request;

import org.jspecify.annotations.NullMarked;
