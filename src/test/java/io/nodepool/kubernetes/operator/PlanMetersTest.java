package io.nodepool.kubernetes.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.nodepool.control.state.PoolEntry;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.plan.PoolPlan;
import io.nodepool.plan.PoolPlan.Figures;
import io.nodepool.plan.PoolPlan.InRollout;
import io.nodepool.plan.PoolPlan.Limited;
import io.nodepool.plan.PoolPlan.Queue;
import io.nodepool.plan.PoolPlan.Use;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What is served of limits, queues, rollouts and drains. */
class PlanMetersTest {
  private static final Instant NOW = Instant.parse("2026-01-01T10:00:00Z");

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final MeterGroup group = new MeterGroup(registry, InstantSource.fixed(NOW));
  private final StateMeters meters = new StateMeters(group);

  private void sample(PoolEntry.Figures... pools) {
    group.show(() -> meters.sample(List.of(pools)));
  }

  private List<String> served() {
    return registry
        .scrape()
        .lines()
        .filter(line -> line.startsWith("nodepool_limit") || line.startsWith("nodepool_pool_"))
        .sorted()
        .toList();
  }

  private static PoolEntry.Figures pool(String name, Figures plan, int inFlight) {
    return new PoolEntry.Figures(
        name, plan, new PoolSnapshot.InFlight(inFlight, 0), 5, new TreeMap<>());
  }

  @Test
  void aPoolThatWaitsAndRollsOutHasItsNumbers() {
    Figures plan =
        new Figures(
            Map.of(Limited.ROLLOUT_UNAVAILABLE, new Use(3, 2)),
            Optional.of(new Queue(2, NOW.minusSeconds(90))),
            Optional.of(new InRollout(Optional.of(NOW.minusSeconds(30)), 4, 1, 3, 0, 2)),
            Map.of("SignalsStale", 2, "Pace", 1),
            Map.of(),
            Optional.empty());

    sample(pool("a", plan, 1), pool("b", Figures.NONE, 2));

    assertThat(served())
        .containsExactly(
            "nodepool_limit_use{limit=\"repairs_in_flight\"} 3.0",
            "nodepool_limit{limit=\"repairs_in_flight\"} 10.0",
            "nodepool_pool_limit_use{limit=\"repairs_in_flight\",pool=\"a\"} 1.0",
            "nodepool_pool_limit_use{limit=\"repairs_in_flight\",pool=\"b\"} 2.0",
            "nodepool_pool_limit_use{limit=\"rollout_unavailable\",pool=\"a\"} 3.0",
            "nodepool_pool_limit{limit=\"repairs_in_flight\",pool=\"a\"} 5.0",
            "nodepool_pool_limit{limit=\"repairs_in_flight\",pool=\"b\"} 5.0",
            "nodepool_pool_limit{limit=\"rollout_unavailable\",pool=\"a\"} 2.0",
            "nodepool_pool_queue_age_seconds{pool=\"a\"} 90.0",
            "nodepool_pool_queue_position{pool=\"a\"} 2.0",
            "nodepool_pool_repairs_waiting{pool=\"a\",reason=\"Pace\"} 1.0",
            "nodepool_pool_repairs_waiting{pool=\"a\",reason=\"SignalsStale\"} 2.0",
            "nodepool_pool_rollout_age_seconds{pool=\"a\"} 30.0",
            "nodepool_pool_rollout_nodes{pool=\"a\",state=\"busy\"} 3.0",
            "nodepool_pool_rollout_nodes{pool=\"a\",state=\"cordoned\"} 0.0",
            "nodepool_pool_rollout_nodes{pool=\"a\",state=\"passed_over\"} 2.0",
            "nodepool_pool_rollout_nodes{pool=\"a\",state=\"under_way\"} 1.0",
            "nodepool_pool_rollout_nodes{pool=\"a\",state=\"up_to_date\"} 4.0");

    sample();
    assertThat(served()).hasSize(2).allMatch(line -> line.startsWith("nodepool_limit"));
    group.remove();
    assertThat(served()).isEmpty();
  }

  @Test
  void kindsOfPodsThatBlockDrainsAreBounded() {
    TreeMap<String, Integer> kinds = new TreeMap<>();
    IntStream.range(0, 30).forEach(i -> kinds.put("Kind%02d".formatted(i), 1));

    sample(new PoolEntry.Figures("a", PoolPlan.Figures.NONE, PoolSnapshot.InFlight.NONE, 1, kinds));

    assertThat(served().stream().filter(line -> line.contains("drains_blocked")))
        .hasSize(21)
        .contains("nodepool_pool_drains_blocked{kind=\"other\",pool=\"a\"} 10.0");
  }
}
