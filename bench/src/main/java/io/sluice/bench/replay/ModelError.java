package io.sluice.bench.replay;

import io.sluice.bench.replay.log.RecordedRequest;
import io.sluice.bench.replay.model.Replayed;
import io.sluice.bench.stat.Samples;
import java.util.List;
import java.util.OptionalDouble;

/**
 * By how much the model's times to first token of single requests are off from the recorded ones.
 *
 * @param requests that have both
 * @param medianMillis of the absolute errors
 */
record ModelError(int requests, double medianMillis, double p95Millis) {

  /** Compares each request with its mean over the runs. */
  static ModelError of(List<Integer> ids, List<RecordedRequest> requests, List<Replayed> runs) {
    Samples errors = new Samples();
    for (int id : ids) {
      RecordedRequest request = requests.get(id);
      OptionalDouble recorded = Fact.recorded(request).ttftMillis();
      OptionalDouble modelled =
          runs.stream().flatMapToDouble(run -> run.ttftMillis(id).stream()).average();
      if (request.isInteractive() && recorded.isPresent() && modelled.isPresent()) {
        errors.add(Math.abs(modelled.getAsDouble() - recorded.getAsDouble()));
      }
    }
    return new ModelError(errors.count(), errors.percentile(50), errors.percentile(95));
  }
}
