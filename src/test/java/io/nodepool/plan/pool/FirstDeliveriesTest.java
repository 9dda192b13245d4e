package io.nodepool.plan.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.configuration.NodeConfiguration;
import io.nodepool.model.Fixtures;
import io.nodepool.model.members.Members;
import io.nodepool.model.node.Member;
import io.nodepool.model.pool.ConfigurationState;
import io.nodepool.model.pool.ConfigurationVerdicts;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.plan.PoolFixture;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How many machines boot a configuration that none of their type has booted (decision D223). */
class FirstDeliveriesTest {
  private static final String NEW = "p1";

  @ParameterizedTest
  @CsvSource({
    // selected, active before, booted elsewhere, granted, under way, in it, rack size | room, text
    "580, no,  '',   20, 0, 0,  1, 1",
    "580, no,  '',   20, 1, 0,  1, 0",
    "580, no,  '',   20, 2, 0,  1, 0",
    "580, no,  '',  100, 0, 0,  1, 5",
    "580, no,  '',  100, 3, 0,  1, 2",
    "580, no,  '',   20, 0, 1,  1, all",
    "580, no,  p1,   20, 0, 0,  1, all",
    "580, no,  p0,   20, 0, 0,  1, 1",
    "'',  no,  '',   20, 0, 0,  1, all",
    "'',  yes, '',   20, 0, 0,  1, 1",
    "'',  no,  p0,   20, 0, 0,  1, 1",
    "'',  no,  p1,   20, 0, 0,  1, all",
    "580, no,  '',   36, 0, 0, 18, 18",
    "580, no,  '',  720, 0, 0, 18, 36",
    "580, no,  '',  720, 9, 0, 18, 27",
  })
  void soManyAreAssigned(
      String selected,
      String before,
      String elsewhere,
      int granted,
      int underWay,
      int inIt,
      int rackSize,
      String room) {
    PoolFixture fixture =
        new PoolFixture().gpuVersion(selected).asked(granted, granted).assigning(underWay);
    PoolSnapshot seen = fixture.registered(1 + inIt).seen();
    List<Member> members = seen.members().stream().toList();
    seen = seen.withMembers(Members.of(members.stream().map(m -> in(m, "p0")).toList()));
    for (int i = 0; i < inIt; i++) {
      seen = seen.withMembers(seen.members().with(in(members.get(i), NEW)));
    }
    PoolSnapshot.Availability last = seen.availability();
    TreeSet<String> proven = new TreeSet<>(elsewhere.isEmpty() ? List.of() : List.of(elsewhere));
    seen =
        seen.withAvailability(
            last.withVerdicts(new ConfigurationVerdicts(new TreeMap<>(), proven)));
    ConfigurationState state =
        ConfigurationState.NONE
            .withProfile(NEW)
            .withRevisions(
                before.equals("yes")
                    ? List.of(revision("p0"), revision(NEW))
                    : List.of(revision(NEW)));
    FirstDeliveries first = FirstDeliveries.of(seen, state, rackSize);

    assertThat(first.room() == Integer.MAX_VALUE ? "all" : String.valueOf(first.room()))
        .isEqualTo(room);
    assertThat(first.text(0)).isEmpty();
    assertThat(first.text(5).isPresent()).isEqualTo(first.room() == 0);
  }

  @Test
  void whatIsQueuedForItIsSaid() {
    assertThat(new FirstDeliveries(NEW, 1, 0).text(19))
        .contains(
            "No machine of the type has booted configuration p1: until a Node of it is registered, at most 1 machine may boot it.");
    assertThat(new FirstDeliveries(NEW, 1, 1).text(19)).isEmpty();
  }

  private static Member in(Member member, String configuration) {
    Host host = member.host();
    return Fixtures.member(
        host.withReport(
            new Host.Report(
                host.report().phase(), 1, host.report().bootId(), configuration, PoolFixture.NOW)),
        member.node(),
        member.workload(),
        member.underWay(),
        member.waiting(),
        member.findings());
  }

  private static ConfigurationState.Revision revision(String profile) {
    return new ConfigurationState.Revision(
        new NodeConfiguration(profile, List.of()),
        profile,
        PoolFixture.NOW,
        PoolFixture.NOW,
        0,
        false,
        Fixtures.boots(false, Optional.empty(), List.of()));
  }
}
