/** Responses of the OpenAI API, with the keys and the key order of vLLM. */
@NullMarked
package io.sluice.simulator.openai.response;

import org.jspecify.annotations.NullMarked;
