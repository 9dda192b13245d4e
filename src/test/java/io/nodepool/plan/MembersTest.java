package io.nodepool.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.NodeTemplate;
import io.nodepool.fleet.Reclaim;
import io.nodepool.model.Fixtures;
import io.nodepool.model.members.Members;
import io.nodepool.model.members.Members.Trait;
import io.nodepool.model.node.Member;
import io.nodepool.model.snapshot.PoolSnapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class MembersTest {
  private static final PoolSnapshot SEEN = new PoolFixture().booting(3).registered(4).seen();

  @Test
  void countsFollowEachChangeInAnyOrder() {
    List<Member> all = SEEN.members().stream().toList();
    SplittableRandom random = new SplittableRandom(1);
    Members members = Members.NONE;
    List<Member> there = new ArrayList<>();
    for (int change = 0; change < 500; change++) {
      Member member = all.get(random.nextInt(all.size()));
      if (there.remove(member)) {
        members = members.without(member.host().id().uid());
      } else {
        there.add(member);
        members = members.with(member);
      }
      assertThat(members).isEqualTo(Members.of(there));
      assertThat(members.count(Trait.CURRENT))
          .isEqualTo((int) there.stream().filter(Member::isCurrent).count());
    }
  }

  @Test
  void aChangedSnapshotDoesNotChangeTheOriginal() {
    Member first = SEEN.members().stream().findFirst().orElseThrow();

    PoolSnapshot changed = SEEN.withMembers(SEEN.members().without(first.host().id().uid()));

    assertThat(changed.held()).isEqualTo(6);
    assertThat(changed.members().count(Trait.COMING_UP)).isEqualTo(2);
    assertThat(SEEN.held()).isEqualTo(7);
    assertThat(SEEN.members().count(Trait.COMING_UP)).isEqualTo(3);
    assertThat(SEEN).isEqualTo(new PoolFixture().booting(3).registered(4).seen());
  }

  @Test
  void theFirstReclaimIsThatOfTheEarliestMachine() {
    Members members = SEEN.members();
    assertThat(members.firstReclaim()).isEmpty();
    List<Member> some = members.stream().limit(2).toList();
    Members later = members.with(reclaimed(some.getFirst(), 420));
    Members both = later.with(reclaimed(some.getLast(), 60));

    assertThat(later.firstReclaim()).contains(PoolFixture.NOW.plusSeconds(420));
    assertThat(both.firstReclaim()).contains(PoolFixture.NOW.plusSeconds(60));
    assertThat(both.without(some.getLast().host().id().uid()).firstReclaim())
        .contains(PoolFixture.NOW.plusSeconds(420));
  }

  @Test
  void aMachineThatIsKeptForInspectionCountsNowhereUntilItServesAgain() {
    Members members = SEEN.members();
    Member one = members.stream().findFirst().orElseThrow();
    String uid = one.host().id().uid();
    Members without = members.without(uid);
    Members keeping = members.with(kept(one));

    assertThat(keeping.size()).isEqualTo(without.size());
    assertThat(keeping.find(uid)).isEmpty();
    assertThat(keeping.preserved()).containsExactly(kept(one));
    for (Members.Trait trait : Members.Trait.values()) {
      assertThat(keeping.count(trait)).isEqualTo(without.count(trait));
    }
    assertThat(keeping).isNotEqualTo(without);
    assertThat(keeping.without(uid)).isEqualTo(without);
    assertThat(keeping.with(one)).isEqualTo(members);
  }

  private static Member kept(Member member) {
    Assignment kept =
        new Assignment(PoolFixture.POOL, "spot", "op", PoolFixture.NOW, NodeTemplate.EMPTY)
            .withPreserved(
                Optional.of(new Assignment.Preserved("Alert", PoolFixture.NOW.plusSeconds(60))));
    Host host = member.host();
    return Fixtures.member(
        host.withOccupancy(host.occupancy().withAssignment(Optional.of(kept))),
        member.node(),
        member.workload(),
        member.underWay(),
        member.waiting(),
        member.findings());
  }

  private static Member reclaimed(Member member, long seconds) {
    Reclaim notice = new Reclaim(PoolFixture.NOW, PoolFixture.NOW.plusSeconds(seconds), "wanted");
    Assignment assigned =
        new Assignment(PoolFixture.POOL, "spot", "op", PoolFixture.NOW, NodeTemplate.EMPTY);
    Host last = member.host();
    Host host = last.withOccupancy(last.occupancy().withAssignment(Optional.of(assigned)));
    Host.Report report = host.report().withSpot(new Host.Spot(true, Optional.of(notice)));
    return Fixtures.member(
        host.withReport(report),
        member.node(),
        member.workload(),
        member.underWay(),
        member.waiting(),
        member.findings());
  }
}
