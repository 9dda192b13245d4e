package io.nodepool.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.model.node.PodBudget;
import io.nodepool.plugin.request.ListedObjects;
import java.io.StringReader;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How many Pods of a PodDisruptionBudget may be on their way out at a time, as it says now. */
class BudgetsOfAListTest {
  private static String pod(int number, boolean ends) {
    return """
    apiVersion: v1
    kind: Pod
    metadata: {namespace: ns, name: p%1$d, uid: u%1$d, resourceVersion: '5', labels: {app: web}%2$s}
    spec: {nodeName: g1}
    ---
    """
        .formatted(number, ends ? ", deletionTimestamp: '2026-11-22T08:00:00Z'" : "");
  }

  private static PodBudget read(int ending, int healthy, int desired, int allowed) {
    StringBuilder text = new StringBuilder();
    for (int i = 1; i <= 3; i++) {
      text.append(pod(i, i <= ending));
    }
    text.append(
        """
        apiVersion: policy/v1
        kind: PodDisruptionBudget
        metadata: {namespace: ns, name: web, resourceVersion: '6'}
        spec: {selector: {matchLabels: {app: web}}}
        status: {expectedPods: 3, currentHealthy: %d, desiredHealthy: %d, disruptionsAllowed: %d}
        """
            .formatted(healthy, desired, allowed));
    return ListedObjects.of(new StringReader(text.toString()), "state.yaml").budgets().getFirst();
  }

  @ParameterizedTest(name = "{0} of 3 end, {1} healthy of {2}, {3} allowed: {4} at a time")
  @CsvSource({
    "0, 3, 2, 1, 1",
    "1, 2, 2, 0, 1",
    "0, 3, 3, 0, 0",
    // More end than it allows: those that were deleted instead of evicted, or have failed.
    "2, 1, 2, 0, 1",
    "1, 1, 2, 0, 0",
    "0, 1, 2, 0, 0"
  })
  void whatIsOnItsWayOutCounts(int ending, int healthy, int desired, int allowed, int most) {
    PodBudget budget = read(ending, healthy, desired, allowed);

    assertThat(budget.name()).isEqualTo("ns/web");
    assertThat(budget.pods()).containsExactlyInAnyOrder("u1", "u2", "u3");
    assertThat(budget.allowed()).isEqualTo(most);
  }
}
