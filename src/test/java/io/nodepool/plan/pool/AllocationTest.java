package io.nodepool.plan.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.HostId;
import io.nodepool.fleet.PoolId;
import io.nodepool.fleet.affinity.Affinity;
import io.nodepool.fleet.affinity.AffinityText;
import io.nodepool.model.Fixtures;
import io.nodepool.model.pool.Claim;
import io.nodepool.model.pool.PoolSnapshot.Candidate;
import io.nodepool.model.pool.PoolSnapshot.Free;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.pcollections.TreePMap;

class AllocationTest {
  private static final Instant NOW = Instant.parse("2026-01-01T10:00:00Z");

  private static Candidate candidate(String rack, int slot) {
    String name = rack + "-" + slot;
    return new Candidate(
        new HostId(name, "uid-" + name), 0, Fixtures.machine("gb200-4x", rack, slot), 0);
  }

  private static Stream<Candidate> rack(String name, int free) {
    return IntStream.range(0, free).mapToObj(slot -> candidate(name, slot));
  }

  private static Claim claim(
      String pool, int priority, int second, int outstanding, Affinity affinity) {
    return new Claim(
        new PoolId(pool, pool),
        priority,
        NOW.plusSeconds(second),
        outstanding,
        outstanding,
        outstanding,
        0,
        affinity);
  }

  private static Claim claim(String pool, int priority, int second, int outstanding) {
    return claim(pool, priority, second, outstanding, Affinity.any());
  }

  private static List<String> names(List<Candidate> share) {
    return share.stream().map(candidate -> candidate.host().name()).toList();
  }

  @Test
  void claimsAreOrderedByPriorityThenInstantThenUid() {
    Allocation allocation = new Allocation(Free.of(rack("1", 10).toList()), 1);
    Claim high = claim("high", 5, 9, 2);
    Claim early = claim("early", 0, 1, 3);
    Claim twinA = claim("twin-a", 0, 2, 1);
    Claim twinB = claim("twin-b", 0, 2, 9);
    List<Claim> all = List.of(twinB, high, twinA, early);

    assertThat(names(share(allocation, high, all))).containsExactly("1-0", "1-1");
    assertThat(names(share(allocation, early, all))).containsExactly("1-2", "1-3", "1-4");
    assertThat(names(share(allocation, twinA, all))).containsExactly("1-5");
    assertThat(names(share(allocation, twinB, all))).containsExactly("1-6", "1-7", "1-8", "1-9");
  }

  private static List<Candidate> share(Allocation allocation, Claim own, List<Claim> all) {
    List<Claim> others = all.stream().filter(claim -> !claim.equals(own)).toList();
    return allocation.turn(own, others).share(own.outstanding());
  }

  @Test
  void aClaimThatAdmitsNoHostBlocksNoOtherAndASelectiveOneTakesOnlyWhatItAdmits() {
    Allocation allocation =
        new Allocation(Free.of(Stream.concat(rack("1", 2), rack("2", 2)).toList()), 1);
    Claim nowhere = claim("a", 9, 0, 4, AffinityText.read("node.coreweave.cloud/rack=7"));
    Claim choosy = claim("b", 1, 0, 3, AffinityText.read("node.coreweave.cloud/rack=1"));
    Claim any = claim("c", 0, 0, 3);
    List<Claim> all = List.of(nowhere, choosy, any);

    assertThat(share(allocation, nowhere, all)).isEmpty();
    assertThat(names(share(allocation, choosy, all))).containsExactly("1-0", "1-1");
    assertThat(names(share(allocation, any, all))).containsExactly("2-0", "2-1");
  }

  @Test
  void racksAreAllocatedWholeAndASingleHostOnlyToThePoolThatHoldsTheRest() {
    List<Candidate> free =
        Stream.of(rack("1", 1), rack("2", 17), rack("3", 18), rack("4", 2), rack("5", 18))
            .flatMap(stream -> stream)
            .toList();
    Allocation allocation =
        new Allocation(
            new Free(
                Free.of(free).now(),
                TreePMap.from(Map.of("1", "owner", "4", "somebody")),
                Optional.empty(),
                0),
            18);
    Claim stranger = claim("stranger", 1, 0, 18);
    Claim owner = claim("owner", 0, 0, 19);

    assertThat(share(allocation, stranger, List.of(stranger, owner)))
        .hasSize(18)
        .allMatch(candidate -> candidate.machine().rack().equals("3"));
    assertThat(share(allocation, owner, List.of(stranger, owner)))
        .extracting(candidate -> candidate.machine().rack())
        .hasSize(19)
        .startsWith("1")
        .endsWith("5")
        .doesNotContain("2", "3", "4");
    assertThat(share(allocation, claim("small", 2, 0, 17), List.of(owner))).isEmpty();
  }
}
