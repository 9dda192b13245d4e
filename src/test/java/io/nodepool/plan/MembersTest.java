package io.nodepool.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.model.members.Members;
import io.nodepool.model.members.Members.Trait;
import io.nodepool.model.node.Member;
import io.nodepool.model.snapshot.PoolSnapshot;
import java.util.ArrayList;
import java.util.List;
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
  void hostsAreFoundByWhenTheyWereAssigned() {
    Members members = SEEN.members();

    assertThat(members.countAssignedSince(PoolFixture.NOW.plusSeconds(4))).isEqualTo(3);
    assertThat(members.assignedSince(PoolFixture.NOW.plusSeconds(4)))
        .extracting(member -> member.host().id().name())
        .containsExactly("h5", "h6", "h7");
    assertThat(members.countAssignedSince(PoolFixture.NOW.plusSeconds(7))).isZero();
  }
}
