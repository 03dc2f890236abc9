package io.sluice.simulator.text;

/**
 * One message of a conversation as the model sees it.
 *
 * @param role the speaker, such as {@code user}
 * @param content the text, with all text parts joined
 */
public record ChatMessage(String role, String content) {}
