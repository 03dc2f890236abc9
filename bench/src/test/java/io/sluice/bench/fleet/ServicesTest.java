package io.sluice.bench.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.bench.fleet.balancer.Balancer;
import io.sluice.bench.fleet.run.FleetRequest;
import io.sluice.bench.fleet.run.Workload;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class ServicesTest {
  private static final Workload.Length LENGTH =
      new Workload.Length(Duration.ofSeconds(20).toNanos(), Duration.ofSeconds(80).toNanos());

  private final Services services = new Services(64, 7);

  @Test
  void requestsComeAtTheRateAndInTheSharesThatWereAskedFor() {
    List<FleetRequest> requests = services.independent(50, LENGTH);

    assertThat(requests.size()).isBetween(4_700, 5_300);
    long busiest = requests.stream().filter(request -> request.session() == 0).count();
    assertThat((double) busiest / requests.size()).isBetween(0.42, 0.48);
    assertThat(requests.getFirst().measured()).isFalse();
    assertThat(requests.getLast().measured()).isTrue();
  }

  @Test
  void aUserStaysWithItsService() {
    List<FleetRequest> requests = services.ofUsers(50, 2);

    for (int user = 0; user < 50; user++) {
      assertThat(requests.get(50 + user).session()).isEqualTo(requests.get(user).session());
    }
    assertThat(requests.stream().limit(50).filter(request -> request.session() == 3)).hasSize(5);
  }

  @Test
  void aServiceHasAnEngineOfItsOwnIfThereAreAsMany() {
    FleetRequest request = services.ofUsers(50, 1).getLast();

    assertThat(Services.owned(4).pick(request, engine -> true)).isEqualTo(Balancer.Choice.send(3));
    assertThat(Services.owned(2).pick(request, engine -> true)).isEqualTo(Balancer.Choice.send(1));
  }
}
