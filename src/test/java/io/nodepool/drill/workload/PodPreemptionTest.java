package io.nodepool.drill.workload;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Whose work ends for a Pod of higher priority. */
class PodPreemptionTest {
  private static final Map<String, Long> WHOLE = Map.of("gpu", 8_000L);
  private static final Map<String, Long> HALF = Map.of("gpu", 4_000L);

  private final TreeMap<String, NodeView> nodes = new TreeMap<>();
  private final Map<String, Map<String, Long>> used = new HashMap<>();
  private final Map<String, List<Preemption.Candidate>> lower = new HashMap<>();

  private static Preemption.Candidate pod(String uid, int priority, boolean isProtected) {
    return new Preemption.Candidate(uid, Instant.EPOCH, priority, isProtected, HALF);
  }

  private void node(String name, Preemption.Candidate... pods) {
    nodes.put(name, new NodeView(name, new TreeMap<>(), List.of(), WHOLE));
    Arrays.stream(pods).forEach(pod -> Placement.count(used, name, pod.requests(), 1));
    lower.put(name, List.of(pods));
  }

  private String best(Map<String, Long> requests) {
    return Preemption.best(nodes, used, Map.of(), lower, requests)
        .map(each ->
            each.node() + each.victims().stream().map(Preemption.Candidate::uid).sorted().toList())
        .orElse("none");
  }

  @Test
  void onlyAsManyEndAsNeeded() {
    node("g1", pod("a", 0, false), pod("b", 5, false));
    assertThat(best(HALF)).isEqualTo("g1[a]");
    assertThat(best(WHOLE)).isEqualTo("g1[a, b]");
  }

  @Test
  void thoseOfTheLowestPriorityEnd() {
    node("g1", pod("a", 7, false), pod("b", 7, false));
    node("g2", pod("c", 5, false), pod("d", 9, false));
    assertThat(best(HALF)).isEqualTo("g2[c]");
    assertThat(best(WHOLE)).isEqualTo("g1[a, b]");
  }

  @Test
  void whatABudgetProtectsEndsOnlyIfNothingElseDoes() {
    node("g1", pod("a", 1, true), pod("b", 2, false));
    assertThat(best(HALF)).isEqualTo("g1[b]");
    node("g2", pod("c", 3, false), pod("d", 3, false));
    assertThat(best(WHOLE)).isEqualTo("g2[c, d]");
    lower.remove("g2");
    assertThat(best(WHOLE)).isEqualTo("g1[a, b]");
  }

  @Test
  void nobodyEndsWhereThatWouldNotBeEnough() {
    node("g1", pod("a", 0, false));
    Placement.count(used, "g1", HALF, 1);
    assertThat(best(WHOLE)).isEqualTo("none");
    node("g2");
    lower.remove("g1");
    assertThat(best(Map.of("gpu", 9_000L))).isEqualTo("none");
    assertThat(Preemption.best(nodes, used, Map.of(), Map.of(), WHOLE)).isEqualTo(Optional.empty());
  }
}
