package io.sluice.simulator.openai.request;

import java.util.OptionalInt;

/**
 * The log probabilities that an answer shows.
 *
 * @param answer the number of alternatives for each token of the answer; empty for no logprobs
 * @param prompt the number of alternatives for each token of the prompt; empty for no logprobs
 * @param idsAsTokens whether tokens are written as {@code token_id:N}
 */
public record RequestedLogprobs(OptionalInt answer, OptionalInt prompt, boolean idsAsTokens) {}
