package io.sluice.cli.doctor;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * What Redis says of itself.
 *
 * @param info the answer to {@code INFO}, by field
 * @param ahead how far its clock is ahead of this machine's
 * @param keepsData whether it writes its data to disk; empty if it does not tell
 * @param answerTime how long a call took
 */
record RedisFacts(
    Map<String, String> info, Duration ahead, Optional<Boolean> keepsData, Duration answerTime) {}
