package io.nodepool.plan.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.catalogue.InstanceCatalogue;
import io.nodepool.model.Fixtures;
import io.nodepool.model.node.Member;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.Condition;
import io.nodepool.model.pool.PoolStatus;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.plan.PlanSettings;
import io.nodepool.plan.PoolFixture;
import io.nodepool.plan.PoolPlan;
import io.nodepool.plan.pool.PoolPlanner;
import io.nodepool.vocabulary.ReferenceGeneration;
import io.nodepool.vocabulary.condition.PoolCondition;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The conditions of the oldest reference: each reason, and that they come and go alone. */
class OldestConditionsTest {
  private static final Instant NOW = PoolFixture.NOW;
  private static final Instant LATER = NOW.plusSeconds(90);

  private static final PoolPlanner CURRENT =
      new PoolPlanner(InstanceCatalogue.bundled(), PlanSettings.DEFAULTS);
  private static final PoolPlanner OLDEST =
      new PoolPlanner(
          InstanceCatalogue.bundled(),
          PlanSettings.DEFAULTS.withGeneration(ReferenceGeneration.OLDEST));

  /**
   * A situation, and what is published of it.
   *
   * @param newer the condition that it is derived from, by type and reason; empty without one
   */
  record Row(String published, String status, String newer, PoolSnapshot seen) {
    @Override
    public String toString() {
      return published + " from " + newer;
    }
  }

  static Stream<Row> rows() {
    return Stream.of(
        row("Accepted/Accepted", "True", "Validated/Valid", pool -> pool.quota(2)),
        row("Accepted/InternalError", "Unknown", "Validated/InternalError", p -> p.lost("no")),
        row(
            "Accepted/Invalid",
            "False",
            "Validated/Invalid",
            pool -> pool.type("gd-8xh100ib-i129").quota(2)),
        row("Accepted/Invalid", "False", "Validated/Invalid", p -> p.label("bad key", "x")),
        row(
            "Accepted/PolicyViolation",
            "False",
            "Validated/Invalid",
            pool -> pool.type("gd-8xa100-i128")),
        row("Allocated/Complete", "True", "AtTarget/TargetMet", p -> p.registered(2).quota(2)),
        row("Allocated/OverTarget", "False", "AtTarget/OverTarget", p -> p.registered(3).quota(3)),
        row("Allocated/UnderTarget", "False", "AtTarget/UnderTarget", p -> p.quota(2)),
        row(
            "Allocated/UnderTarget",
            "False",
            "AtTarget/UnderTarget",
            pool -> pool.type("gd-8xh100ib-i129")),
        row(
            "Allocated/PolicyViolation",
            "False",
            "Validated/Invalid",
            pool -> pool.type("gd-8xa100-i128")),
        row(
            "Allocated/InternalError",
            "Unknown",
            "AtTarget/InternalError",
            pool -> pool.unread("h9", "its spec is missing")),
        deleted("Allocated/PendingDelete", "False", "AtTarget/PendingDelete"),
        row("MetadataSynced/Synced", "True", "", p -> p.registered(2).quota(2)),
        row("MetadataSynced/Synced", "True", "", p -> p.target(0)),
        row("MetadataSynced/Pending", "False", "", p -> p.quota(2).booting(2)),
        row("MetadataSynced/Pending", "False", "", p -> p.registered(2).label("team", "a")),
        row("MetadataSynced/Pending", "False", "", p -> p.registered(2).label("bad key", "x")),
        row("MetadataSynced/Unknown", "Unknown", "", p -> p.registered(1).unread("h9", "no spec")),
        row("SufficientCapacity/Sufficient", "True", "Capacity/Sufficient", p -> p.free(2)),
        row("SufficientCapacity/Partial", "False", "Capacity/Partial", p -> p.unqueued().free(1)),
        row(
            "SufficientCapacity/Partial",
            "False",
            "Capacity/PartialNodeAffinity",
            pool -> pool.free(3).target(3).affinity("node.coreweave.cloud/rack=1")),
        row(
            "SufficientCapacity/Partial",
            "False",
            "Capacity/QueuedAwaitingCapacity",
            pool -> pool.free(1)),
        row(
            "SufficientCapacity/NoneAvailable",
            "False",
            "Capacity/NoneAvailable",
            p -> p.unqueued()),
        row(
            "SufficientCapacity/NoneAvailable",
            "False",
            "Capacity/NoneAvailableNodeAffinity",
            pool -> pool.free(1).target(1).affinity("node.coreweave.cloud/rack=2")),
        row(
            "SufficientCapacity/NoneAvailable",
            "False",
            "Capacity/QueuedAwaitingCapacity",
            pool -> pool),
        row(
            "SufficientCapacity/NoneAvailable",
            "False",
            "Capacity/QueuedAwaitingCapacity",
            pool -> pool.computeClass("spot").free(4)),
        row(
            "SufficientCapacity/InternalError",
            "Unknown",
            "Capacity/InternalError",
            p -> p.lost("x")));
  }

  private static Row row(
      String published, String status, String newer, UnaryOperator<PoolFixture> situation) {
    return new Row(published, status, newer, situation.apply(new PoolFixture()).seen());
  }

  private static Row deleted(String published, String status, String newer) {
    return new Row(published, status, newer, deleted(new PoolFixture().registered(1).seen()));
  }

  private static PoolSnapshot deleted(PoolSnapshot seen) {
    return seen.withPool(seen.pool().withDeletionRequestedAt(Optional.of(NOW)));
  }

  @ParameterizedTest
  @MethodSource("rows")
  void eachReasonIsPublishedWithItsStatusAndTheMessageOfTheNewerCondition(Row row) {
    Map<PoolCondition, Condition> conditions = OLDEST.plan(row.seen(), NOW).status().conditions();
    assertThat(words(conditions)).contains(row.published());
    Condition published = of(conditions, row.published());
    assertThat(published.reason().status().word()).isEqualTo(row.status());
    assertThat(published.message()).isNotBlank();
    if (!row.newer().isEmpty()) {
      assertThat(published.message()).isEqualTo(of(conditions, row.newer()).message());
    }
  }

  private static Condition of(Map<PoolCondition, Condition> conditions, String words) {
    return conditions.values().stream()
        .filter(each -> words(each).equals(words))
        .findFirst()
        .orElseThrow(() -> new AssertionError(words + " is not in " + words(conditions)));
  }

  private static String words(Condition condition) {
    return condition.reason().condition().type() + "/" + condition.reason().word();
  }

  private static List<String> words(Map<PoolCondition, Condition> conditions) {
    return conditions.values().stream().map(OldestConditionsTest::words).toList();
  }

  @Test
  void everyReasonOfTheReferenceIsInTheTableButTheOneThatIsNeverPublished() {
    Set<String> printed =
        OldestReference.CONDITIONS.entrySet().stream()
            .filter(each -> !each.getKey().equals("NodesRemoved"))
            .flatMap(each -> each.getValue().stream().map(word -> each.getKey() + "/" + word))
            .filter(words -> !words.equals(OldestReference.NEVER))
            .collect(Collectors.toCollection(TreeSet::new));
    Set<String> published =
        rows().map(Row::published).collect(Collectors.toCollection(TreeSet::new));
    assertThat(published).isEqualTo(printed);
  }

  @ParameterizedTest
  @MethodSource("rows")
  void allThatIsPublishedOtherwiseIsTheSame(Row row) {
    PoolPlan current = CURRENT.plan(row.seen(), NOW);
    PoolPlan oldest = OLDEST.plan(row.seen(), NOW);

    assertThat(OldestConditions.without(published(row.seen(), oldest)).pool().status())
        .isEqualTo(current.status());
    assertThat(oldest.withStatus(current.status())).isEqualTo(current);
  }

  @ParameterizedTest
  @MethodSource("rows")
  void nothingIsWrittenAgainAndTransitionTimesStay(Row row) {
    PoolPlan first = OLDEST.plan(row.seen(), NOW);
    PoolSnapshot published = published(row.seen(), first);
    PoolStatus again = OLDEST.plan(published, LATER).status();

    assertThat(oldest(again)).isEqualTo(oldest(first.status()));
    assertThat(again.equals(first.status()))
        .isEqualTo(
            CURRENT
                .plan(OldestConditions.without(published), LATER)
                .status()
                .equals(OldestConditions.without(published).pool().status()));
  }

  @ParameterizedTest
  @MethodSource("rows")
  void turnedOffTheyAreRemovedAndAllOthersStay(Row row) {
    PoolSnapshot published = published(row.seen(), OLDEST.plan(row.seen(), NOW));
    PoolSnapshot never = published(row.seen(), CURRENT.plan(row.seen(), NOW));

    PoolStatus off = CURRENT.plan(published, LATER).status();
    assertThat(oldest(off)).isEmpty();
    assertThat(off).isEqualTo(CURRENT.plan(never, LATER).status());
    assertThat(off).isNotEqualTo(published.pool().status());
  }

  private static Map<PoolCondition, Condition> oldest(PoolStatus status) {
    return status.conditions().entrySet().stream()
        .filter(each -> !each.getKey().isCurrent())
        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  private static PoolSnapshot published(PoolSnapshot seen, PoolPlan plan) {
    return seen.withPool(seen.pool().withStatus(plan.status())).withGrowth(plan.status().growth());
  }

  @Test
  void theTransitionTimeChangesWithTheStatusAlone() {
    PoolSnapshot waits = new PoolFixture().free(1).quota(2).seen();
    PoolSnapshot published = published(waits, OLDEST.plan(waits, NOW));
    PoolSnapshot none =
        published.withAvailability(new PoolFixture().quota(2).seen().availability());
    PoolSnapshot enough =
        published.withAvailability(new PoolFixture().free(2).quota(2).seen().availability());

    assertThat(capacity(OLDEST.plan(published, LATER)).since()).isEqualTo(NOW);
    assertThat(words(capacity(OLDEST.plan(none, LATER))))
        .isEqualTo("SufficientCapacity/NoneAvailable");
    assertThat(capacity(OLDEST.plan(none, LATER)).since()).isEqualTo(NOW);
    assertThat(capacity(OLDEST.plan(enough, LATER)).since()).isEqualTo(LATER);
  }

  private static Condition capacity(PoolPlan plan) {
    return plan.status().condition(PoolCondition.SUFFICIENT_CAPACITY).orElseThrow();
  }

  /** As with the newer conditions, only what is about the deletion changes. */
  @Test
  void whileAPoolIsBeingDeletedTheOthersStayAsTheyWere() {
    PoolSnapshot seen = new PoolFixture().registered(2).free(1).target(4).quota(4).seen();
    PoolSnapshot published = published(seen, OLDEST.plan(seen, NOW));
    PoolSnapshot alone = new PoolFixture().registered(2).lost("no answer").seen();
    Map<PoolCondition, Condition> before = published.pool().status().conditions();

    Map<PoolCondition, Condition> after =
        OLDEST
            .plan(deleted(published.withAvailability(alone.availability())), LATER)
            .status()
            .conditions();
    assertThat(after)
        .containsEntry(PoolCondition.ACCEPTED, before.get(PoolCondition.ACCEPTED))
        .containsEntry(PoolCondition.METADATA_SYNCED, before.get(PoolCondition.METADATA_SYNCED))
        .containsEntry(
            PoolCondition.SUFFICIENT_CAPACITY, before.get(PoolCondition.SUFFICIENT_CAPACITY));
    assertThat(words(after))
        .contains("Allocated/PendingDelete", "SufficientCapacity/Partial", "NodesRemoved/Pending");
  }

  /** A Node that leaves gets no metadata any more, and so is not waited for. */
  @Test
  void nodesThatLeaveDoNotCount() {
    PoolSnapshot seen = new PoolFixture().registered(2).quota(2).label("team", "a").seen();
    List<Member> members = seen.members().stream().toList();
    Member synced =
        Fixtures.member(
            members.getFirst().host(),
            members.getFirst().node().map(node -> applied(node, seen)),
            members.getFirst().workload(),
            Optional.empty(),
            Optional.empty(),
            Member.Findings.NONE);

    assertThat(synced(seen.withMembers(seen.members().with(synced)))).isEqualTo("Pending");
    assertThat(
            synced(
                seen.withMembers(
                    seen.members().with(synced).without(members.getLast().host().id().uid()))))
        .isEqualTo("Synced");
    Member off = stopping(members.getLast());
    assertThat(synced(seen.withMembers(seen.members().with(synced).with(off)))).isEqualTo("Synced");
  }

  private static Node applied(Node node, PoolSnapshot seen) {
    return node.withMetadata(
        node.metadata().withApplied(Optional.of(seen.pool().spec().node().permitted())));
  }

  private static Member stopping(Member member) {
    return Fixtures.member(
        member.host().withOccupancy(member.host().occupancy().withPower(Host.Power.OFF)),
        member.node(),
        member.workload(),
        Optional.empty(),
        Optional.empty(),
        Member.Findings.NONE);
  }

  private static String synced(PoolSnapshot seen) {
    return OLDEST
        .plan(seen, NOW)
        .status()
        .condition(PoolCondition.METADATA_SYNCED)
        .orElseThrow()
        .reason()
        .word();
  }
}
