package io.sluice.simulator.openai.request;

/**
 * What requests may ask for, and what answers show.
 *
 * @param promptTokensDetails whether usage tells the cached tokens
 * @param forceIncludeUsage whether every stream ends with usage
 * @param autoToolChoice whether the model may call tools by itself
 * @param maxLogprobs the most alternatives per token
 */
public record FormatOptions(
    boolean promptTokensDetails,
    boolean forceIncludeUsage,
    boolean autoToolChoice,
    int maxLogprobs) {}
