package io.sluice.bench.torture.load;

import java.util.Optional;

/**
 * What a caller of the SDK was told.
 *
 * @param text as it came event by event
 * @param tokens as counted event by event
 * @param whole the text of the answer at the end
 * @param error the code of the error, if it ended with one
 * @param sent whether the request reached Kafka, as far as the SDK knows
 */
public record SdkAnswer(
    String text, int tokens, String whole, Optional<String> error, boolean sent) {}
