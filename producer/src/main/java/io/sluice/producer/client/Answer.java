package io.sluice.producer.client;

import io.sluice.common.openai.Usage;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A whole answer.
 *
 * @param text the first choice's text
 * @param json the whole {@code chat.completion} or {@code text_completion}, assembled from the
 *     chunks if the request was streamed
 * @param worker who finished it
 * @param model the model that really served it
 * @param fallback whether that is not the model that was asked for
 * @param attempts how many attempts it took; 1 if nothing failed on the way
 * @param firstTokenMillis from the request's append time to the first record with tokens
 * @param latencyMillis from the request's append time to the last record
 */
public record Answer(
    String requestId,
    String text,
    String finishReason,
    Usage usage,
    String json,
    Optional<String> worker,
    Optional<String> model,
    boolean fallback,
    int attempts,
    OptionalLong firstTokenMillis,
    OptionalLong latencyMillis) {}
