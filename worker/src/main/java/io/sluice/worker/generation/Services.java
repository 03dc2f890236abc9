package io.sluice.worker.generation;

import io.sluice.worker.answer.Gathering;
import io.sluice.worker.clock.Ticker;
import io.sluice.worker.engine.EngineCheck;
import io.sluice.worker.engine.EngineClient;
import io.sluice.worker.engine.dialect.EngineFacts;
import io.sluice.worker.reply.ReplyLog;
import io.sluice.worker.reply.ReplyScan;
import io.sluice.worker.trace.AttemptTraces;
import java.util.function.Supplier;

/**
 * What the generations of a worker share.
 *
 * @param engineFacts what is known about the engine now
 * @param tally counts what the engine does
 * @param check tells whether the engine is still there
 * @param memory what the requests hold
 * @param traces begins the trace of an attempt
 * @param streams how tokens of a stream are gathered into records
 * @param wholeAnswers the same for answers that are not streamed
 */
public record Services(
    EngineClient engine,
    Supplier<EngineFacts> engineFacts,
    ReplyLog log,
    ReplyScan scan,
    Ticker ticker,
    GenerationMeter meter,
    EngineTally tally,
    EngineCheck check,
    HeldMemory memory,
    AttemptTraces traces,
    Gathering streams,
    Gathering wholeAnswers) {}
