package io.sluice.simulator.openai.request;

import java.util.OptionalInt;

/**
 * The options for requests and answers.
 *
 * @param promptTokensDetails whether usage reports cached tokens
 * @param forceIncludeUsage whether every stream ends with usage
 * @param autoToolChoice whether the model may call tools by itself
 * @param maxLogprobs the most alternatives per token
 * @param defaultMaxTokens {@code max_new_tokens} of the model's {@code generation_config.json}: the
 *     output limit of chats that name none; empty for what the context leaves
 */
public record FormatOptions(
    boolean promptTokensDetails,
    boolean forceIncludeUsage,
    boolean autoToolChoice,
    int maxLogprobs,
    OptionalInt defaultMaxTokens) {}
