package io.nodepool.plan.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.HostId;
import io.nodepool.fleet.PoolId;
import io.nodepool.fleet.affinity.Affinity;
import io.nodepool.fleet.affinity.AffinityText;
import io.nodepool.model.Fixtures;
import io.nodepool.model.pool.Claim;
import io.nodepool.model.snapshot.FreeHosts;
import io.nodepool.model.snapshot.FreeHosts.FreeHost;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.BiFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.pcollections.TreePMap;
import org.pcollections.TreePSet;

class AllocationTest {
  private static final Instant NOW = Instant.parse("2026-01-01T10:00:00Z");

  private static FreeHost freeHost(String rack, int slot) {
    String name = rack + "-" + slot;
    return new FreeHost(
        new HostId(name, "uid-" + name), 0, Fixtures.machine("gb200-4x", rack, slot), 0, false);
  }

  private static Stream<FreeHost> rack(String name, int free) {
    return IntStream.range(0, free).mapToObj(slot -> freeHost(name, slot));
  }

  private static Claim claim(
      String pool, int priority, int second, int outstanding, Affinity affinity) {
    return new Claim(
        new PoolId(pool, pool),
        new Claim.Rank(false, priority, NOW.plusSeconds(second)),
        outstanding,
        outstanding,
        outstanding,
        outstanding,
        0,
        affinity);
  }

  private static Claim claim(String pool, int priority, int second, int outstanding) {
    return claim(pool, priority, second, outstanding, Affinity.any());
  }

  private static List<String> names(List<FreeHost> share) {
    return share.stream().map(host -> host.id().name()).toList();
  }

  @Test
  void claimsAreOrderedByPriorityThenInstantThenUid() {
    BiFunction<Claim, List<Claim>, Allocation> allocation =
        (claim, others) -> new Allocation(Fixtures.free(rack("1", 10).toList()), 1, claim, others);
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

  private static List<FreeHost> share(
      BiFunction<Claim, List<Claim>, Allocation> allocation, Claim own, List<Claim> all) {
    List<Claim> others = all.stream().filter(claim -> !claim.equals(own)).toList();
    return allocation.apply(own, others).share(own.outstanding());
  }

  private static Claim spotClaim(String pool, int priority, int outstanding, Affinity affinity) {
    return new Claim(
        new PoolId(pool, pool),
        new Claim.Rank(true, priority, NOW),
        outstanding,
        outstanding,
        outstanding,
        outstanding,
        0,
        affinity);
  }

  /** A free Host that never failed, and one that did. */
  private static Stream<FreeHost> spotHosts(int slot) {
    return Stream.of(0, 1)
        .map(failures -> {
          FreeHost host = freeHost("s", slot + failures);
          return new FreeHost(host.id(), 0, host.machine(), failures, true);
        });
  }

  @Test
  void onDemandClaimsComeBeforeSpotClaimsOfAnyPriorityAndLeaveThemWhatIsOfferedAsSpot() {
    BiFunction<Claim, List<Claim>, Allocation> allocation =
        (claim, others) ->
            new Allocation(
                Fixtures.free(Stream.concat(rack("1", 2), spotHosts(0)).toList()),
                1,
                claim,
                others);
    Claim high = spotClaim("high", 9, 1, Affinity.any());
    Claim low = spotClaim("low", 0, 2, Affinity.any());

    for (int wanted = 0; wanted <= 4; wanted++) {
      Claim onDemand = claim("on-demand", 0, 600, wanted);
      List<Claim> all = List.of(high, low, onDemand);
      assertThat(names(share(allocation, onDemand, all)))
          .containsExactlyElementsOf(List.of("1-0", "1-1", "s-0", "s-1").subList(0, wanted));
      List<String> left = List.of("s-0", "s-1").subList(Math.max(0, wanted - 2), 2);
      assertThat(names(share(allocation, high, all)))
          .containsExactlyElementsOf(left.stream().limit(1).toList());
      assertThat(names(share(allocation, low, all)))
          .containsExactlyElementsOf(left.stream().skip(1).toList());
      assertThat(allocation.apply(low, List.of(high, onDemand)).count(9))
          .isEqualTo(Math.max(0, left.size() - 1));
    }
  }

  @Test
  void theCountedSharesOfSpotClaimsEqualTheChosenOnes() {
    Random random = new Random(4);
    Affinity everywhere = AffinityText.read("topology.kubernetes.io/zone!=nowhere");
    for (int round = 0; round < 200; round++) {
      List<FreeHost> free =
          IntStream.range(0, random.nextInt(12))
              .mapToObj(slot -> freeHost("r", slot))
              .map(each ->
                  new FreeHost(
                      each.id(), 0, each.machine(), random.nextInt(3), random.nextBoolean()))
              .toList();
      BiFunction<Claim, List<Claim>, Allocation> allocation =
          (claim, others) -> new Allocation(Fixtures.free(free), 1, claim, others);
      Claim onDemand = claim("on-demand", 0, 600, random.nextInt(8));
      Claim before = spotClaim("before", 1, random.nextInt(4), Affinity.any());
      int wanted = random.nextInt(8);
      Claim counted = spotClaim("own", 0, wanted, Affinity.any());
      List<Claim> others = List.of(onDemand, before);

      List<FreeHost> chosen =
          allocation.apply(counted.withAffinity(everywhere), others).share(wanted);
      assertThat(allocation.apply(counted, others).share(wanted)).isEqualTo(chosen);
      assertThat(allocation.apply(counted, others).count(wanted)).isEqualTo(chosen.size());
    }
  }

  @Test
  void aClaimThatAdmitsNoHostBlocksNoOtherAndASelectiveOneTakesOnlyWhatItAdmits() {
    BiFunction<Claim, List<Claim>, Allocation> allocation =
        (claim, others) ->
            new Allocation(
                Fixtures.free(Stream.concat(rack("1", 2), rack("2", 2)).toList()),
                1,
                claim,
                others);
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
    List<FreeHost> free =
        Stream.of(rack("1", 1), rack("2", 17), rack("3", 18), rack("4", 2), rack("5", 18))
            .flatMap(stream -> stream)
            .toList();
    BiFunction<Claim, List<Claim>, Allocation> allocation =
        (claim, others) ->
            new Allocation(
                new FreeHosts(
                    Fixtures.free(free).now(),
                    TreePMap.from(Map.of("1", "owner", "4", "somebody")),
                    Optional.empty(),
                    0,
                    0,
                    TreePSet.empty(),
                    TreePMap.empty(),
                    List.of()),
                18,
                claim,
                others);
    Claim stranger = claim("stranger", 1, 0, 18);
    Claim owner = claim("owner", 0, 0, 19);

    assertThat(share(allocation, stranger, List.of(stranger, owner)))
        .hasSize(18)
        .allMatch(host -> host.machine().rack().equals("3"));
    assertThat(share(allocation, owner, List.of(stranger, owner)))
        .extracting(host -> host.machine().rack())
        .hasSize(19)
        .startsWith("1")
        .endsWith("5")
        .doesNotContain("2", "3", "4");
    assertThat(share(allocation, claim("small", 2, 0, 17), List.of(owner))).isEmpty();
  }
}
