/** Responses of the OpenAI API as vLLM writes them, key by key. */
@NullMarked
package io.sluice.simulator.openai.response;

import org.jspecify.annotations.NullMarked;
