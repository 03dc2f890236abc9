package io.sluice.simulator.openai.request;

import java.util.List;

/**
 * The parts of an answer other than its generated text.
 *
 * @param role the role of a chat answer
 * @param echoes the text to repeat before the choices of each prompt; empty for no echo
 * @param echoOnly whether the answer is the echo alone ({@code max_tokens:0})
 * @param tokenIds whether token ids are shown
 * @param promptText whether the text of the prompt is shown
 * @param logprobs the log probabilities that are shown
 * @param tool the tool call that the answer makes
 */
public record AnswerShape(
    String role,
    List<String> echoes,
    boolean echoOnly,
    boolean tokenIds,
    boolean promptText,
    RequestedLogprobs logprobs,
    ToolCall tool) {}
