package io.sluice.simulator.openai.request;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What an answer shows besides its text.
 *
 * @param role the role of the answer (chat)
 * @param echoes the text to repeat in front of the choices of each prompt; empty for none
 * @param echoOnly whether nothing but the echo is shown ({@code max_tokens:0})
 * @param tokenIds whether token ids are shown
 * @param promptText whether the prompt's text is shown
 * @param logprobs how many alternatives each token's log probability has; empty for no logprobs
 * @param promptLogprobs the same for the prompt
 * @param idsAsTokens whether tokens in logprobs are written {@code token_id:N}
 * @param tool the function that the answer calls, if it does
 * @param toolIsNamed whether the request named that function
 * @param parsed whether a parser looks for calls in a stream, and passes on no empty text
 */
public record AnswerShape(
    String role,
    List<String> echoes,
    boolean echoOnly,
    boolean tokenIds,
    boolean promptText,
    OptionalInt logprobs,
    OptionalInt promptLogprobs,
    boolean idsAsTokens,
    Optional<String> tool,
    boolean toolIsNamed,
    boolean parsed) {}
