package io.nodepool.plan.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.FleetOffer;
import io.nodepool.fleet.affinity.Affinity;
import io.nodepool.fleet.affinity.AffinityText;
import io.nodepool.model.Fixtures;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AffinityFeasibilityTest {
  private static final FleetOffer OFFER =
      Fixtures.offer(
          "US-EAST-04A",
          "US-EAST",
          "org",
          new TreeSet<>(Set.of("turin-gp")),
          new TreeSet<>(),
          new TreeMap<>(),
          List.of());

  private static Optional<String> of(String text) {
    return AffinityFeasibility.of((Affinity.Selector) AffinityText.read(text), "turin-gp", OFFER);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          team=a                                                            | team is not fixed by the machine; usable are kubernetes.io/hostname
          node.kubernetes.io/instance-type=b200-8x                          | node.kubernetes.io/instance-type of this pool's machines is turin-gp
          topology.kubernetes.io/zone!=US-EAST-04A                          | topology.kubernetes.io/zone of this pool's machines is US-EAST-04A
          node.coreweave.cloud/rack=1,node.coreweave.cloud/rack=2           | what it requires of node.coreweave.cloud/rack contradicts itself
          node.coreweave.cloud/rack in (1,2),node.coreweave.cloud/rack notin (1,2) | what it requires of node.coreweave.cloud/rack contradicts itself
          node.coreweave.cloud/rack,!node.coreweave.cloud/rack              | what it requires of node.coreweave.cloud/rack contradicts itself
          node.coreweave.cloud/rack=1,!node.coreweave.cloud/rack            | what it requires of node.coreweave.cloud/rack contradicts itself
          """)
  void anAffinityThatNoMachineCanMeetIsReported(String text, String why) {
    assertThat(of(text).orElseThrow()).startsWith(why);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "node.coreweave.cloud/rack in (1,2),node.coreweave.cloud/rack notin (1)",
        "node.coreweave.cloud/rack,node.coreweave.cloud/rack!=3",
        "topology.kubernetes.io/zone=US-EAST-04A,node.kubernetes.io/instance-type=turin-gp",
        "!ds.coreweave.com/nvlink.domain"
      })
  void anAffinityThatAMachineCouldMeetIsNotReported(String text) {
    assertThat(of(text)).isEmpty();
  }
}
