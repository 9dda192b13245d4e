package io.nodepool.bench.standing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class StandingChangesTest {
  private static List<StandingChanges.Change> changes(int nodes, int pods, int count, long seed) {
    return StandingChanges.of(StandingLoad.shares(nodes, pods), count, seed);
  }

  @Test
  void noNodeIsChangedTwiceAndNoPodEndsWhereThereIsNone() {
    Map<String, Integer> pods = StandingLoad.shares(500, 1000);
    List<StandingChanges.Change> changes = StandingChanges.of(pods, 400, 7);

    assertThat(changes).hasSize(400);
    assertThat(changes)
        .filteredOn(change -> change.kind() != StandingChanges.Kind.TARGET_MOVED)
        .extracting(StandingChanges.Change::node)
        .doesNotHaveDuplicates();
    assertThat(changes)
        .filteredOn(change -> change.kind() == StandingChanges.Kind.POD_ENDED)
        .allMatch(change -> pods.getOrDefault(change.node(), 0) > 0);
  }

  @Test
  void everyKindOccursAndTheSameSeedGivesTheSameChanges() {
    Set<StandingChanges.Kind> kinds =
        changes(500, 1000, 400, 7).stream()
            .map(StandingChanges.Change::kind)
            .collect(Collectors.toSet());

    assertThat(kinds).containsExactlyInAnyOrder(StandingChanges.Kind.values());
    assertThat(changes(500, 1000, 400, 7)).isEqualTo(changes(500, 1000, 400, 7));
    assertThat(changes(500, 1000, 400, 8)).isNotEqualTo(changes(500, 1000, 400, 7));
  }

  @Test
  void thereAreNoMoreChangesThanNodes() {
    assertThat(changes(20, 0, 1000, 7)).hasSize(20);
    assertThat(changes(0, 0, 1000, 7)).isEmpty();
  }

  @Test
  void podsAreSharedEvenlyByFourInFiveNodes() {
    Map<String, Integer> pods = StandingLoad.shares(10, 20);

    assertThat(pods.values().stream().mapToInt(Integer::intValue).sum()).isEqualTo(20);
    assertThat(pods.values()).containsOnly(0, 2, 3);
    assertThat(pods.values().stream().filter(count -> count == 0)).hasSize(2);
  }
}
