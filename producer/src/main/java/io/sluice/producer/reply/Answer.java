package io.sluice.producer.reply;

import io.sluice.common.openai.Usage;
import io.soabase.recordbuilder.core.RecordBuilder;
import io.soabase.recordbuilder.core.RecordBuilder.BuilderMode;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A whole answer.
 *
 * @param text the text of the first choice
 * @param json the whole {@code chat.completion} or {@code text_completion}, assembled from the
 *     chunks if the request was streamed
 * @param worker the worker that finished the answer
 * @param model the model that actually served the request
 * @param fallback whether that differs from the requested model
 * @param attempts how many attempts the answer took; 1 if none failed
 * @param firstTokenMillis from the request's append time to the first record with tokens
 * @param latencyMillis from the request's append time to the last record
 */
@RecordBuilder
@RecordBuilder.Options(builderMode = BuilderMode.STAGED_REQUIRED_ONLY, enableWither = false)
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
