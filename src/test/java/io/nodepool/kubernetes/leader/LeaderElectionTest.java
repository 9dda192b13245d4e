package io.nodepool.kubernetes.leader;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LeaderElectionTest {
  private static final Instant NOW = Instant.parse("2026-11-21T05:02:00Z");
  private static final Duration VALID = Duration.ofSeconds(15);
  private static final Duration OUTAGE = Duration.ofMinutes(10);

  private final List<String> events = new ArrayList<>();

  /** When the candidates were told that one leads again, since the start. */
  private final List<Duration> resumed = new ArrayList<>();

  private FakeLease.Fate fate = FakeLease.Fate.ANSWERED;
  private final FakeLease lease = new FakeLease(() -> fate);
  private long nanos = Long.MAX_VALUE - 7;
  private Instant wall = NOW;

  private final class Candidate implements LeaderElection.Events {
    final String name;
    final LeaderElection election;
    long next = nanos;
    boolean over;

    Candidate(String name, LeaseStore store) {
      this(name, store, LeaderElection.Rivals.POSSIBLE);
    }

    Candidate(String name, LeaseStore store, LeaderElection.Rivals rivals) {
      this.name = name;
      this.election =
          new LeaderElection(
              store,
              name,
              () -> wall,
              () -> nanos,
              new LeaderElection.Terms(rivals, OUTAGE, ""),
              this);
    }

    /** Takes a step if one is due. */
    void step() {
      if (nanos - next >= 0) {
        election.step().ifPresent(wait -> next = nanos + wait.toNanos());
      }
    }

    @Override
    public void waits() {
      events.add(name + " waits");
    }

    @Override
    public void resumed(Instant at) {
      resumed.add(Duration.between(NOW, at));
    }

    @Override
    public void won() {
      events.add(name + " won");
    }

    @Override
    public void lost() {
      over = true;
      events.add(name + " lost");
    }
  }

  private Candidate candidate(String name) {
    return new Candidate(name, lease);
  }

  /** Lets time pass; the candidates step when they are due. */
  private void pass(Duration time, Candidate... candidates) {
    long end = nanos + time.toNanos();
    while (nanos - end < 0) {
      for (Candidate candidate : candidates) {
        candidate.step();
      }
      nanos += Duration.ofMillis(100).toNanos();
      wall = wall.plusMillis(100);
    }
  }

  /** The Lease as written by a process whose clock is this far ahead. */
  private LeaseRecord held(String holder, Duration ahead) {
    return new LeaseRecord(
        holder, VALID, Optional.of(NOW), Optional.of(wall.plus(ahead)), 0, Optional.empty());
  }

  @ParameterizedTest
  @ValueSource(ints = {-24, -1, 0, 1, 24})
  void aLeaderKeepsItsLeaseWhateverItsClockShows(int hoursAhead) {
    Candidate candidate = candidate("b");
    for (int renewal = 0; renewal < 300; renewal++) {
      lease.set(held("a", Duration.ofHours(hoursAhead)));
      pass(Duration.ofSeconds(2), candidate);
    }

    assertThat(events).containsExactly("b waits");
    assertThat(lease.writes).isEqualTo(300);
  }

  @ParameterizedTest
  @ValueSource(ints = {-24, -1, 0, 1, 24})
  void aDeadLeaderIsReplacedAfterItsLeaseDurationWhateverItsClockShowed(int hoursAhead) {
    lease.set(held("a", Duration.ofHours(hoursAhead)));
    Candidate candidate = candidate("b");
    pass(VALID.minusMillis(200), candidate);
    assertThat(events).containsExactly("b waits");
    assertThat(candidate.election.isOpen()).isFalse();

    pass(Duration.ofSeconds(1), candidate);
    assertThat(events).containsExactly("b waits", "b won");
    assertThat(candidate.election.isOpen()).isTrue();
    assertThat(lease.record().holder()).isEqualTo("b");
    assertThat(lease.record().transitions()).isEqualTo(1);
  }

  @Test
  void aReleasedLeaseIsTakenAtOnce() {
    Candidate first = candidate("a");
    pass(Duration.ofSeconds(1), first);
    first.election.giveBack();
    assertThat(first.election.isOpen()).isFalse();
    assertThat(lease.record().holder()).isEmpty();

    Candidate second = candidate("b");
    pass(Duration.ofMillis(100), second);
    assertThat(events).containsExactly("a won", "b won");
  }

  @Test
  void aLeaseWithoutAHolderOrADurationIsTaken() {
    lease.set(
        new LeaseRecord(
            "", Duration.ZERO, Optional.empty(), Optional.empty(), 0, Optional.empty()));
    Candidate candidate = candidate("a");
    pass(Duration.ofMillis(100), candidate);
    assertThat(events).containsExactly("a won");
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 1})
  void aWallClockThatIsSetDoesNotEndALeadership(int hours) {
    Candidate leader = candidate("a");
    pass(Duration.ofSeconds(3), leader);
    for (int i = 0; i < 10; i++) {
      wall = wall.plus(Duration.ofHours(hours));
      pass(Duration.ofSeconds(5), leader);
      assertThat(leader.election.isOpen()).isTrue();
    }
    assertThat(events).containsExactly("a won");
  }

  @Test
  void aLeaderRenewsEveryTwoSeconds() {
    Candidate leader = candidate("a");
    pass(Duration.ofSeconds(60), leader);
    assertThat(lease.writes).isBetween(28, 31);
  }

  @Test
  void aLeaderThatCannotRenewStopsWritingAfterEightSecondsAndEndsAfterTen() {
    Candidate leader = candidate("a");
    pass(Duration.ofMillis(100), leader);
    fate = FakeLease.Fate.TURNED_AWAY;
    pass(Duration.ofMillis(7800), leader);
    assertThat(leader.election.isOpen()).isTrue();
    pass(Duration.ofMillis(300), leader);
    assertThat(leader.election.isOpen()).isFalse();
    assertThat(events).containsExactly("a won");

    pass(Duration.ofMillis(2500), leader);
    assertThat(events).containsExactly("a won", "a lost");
    fate = FakeLease.Fate.ANSWERED;
    pass(Duration.ofMinutes(5), leader);
    assertThat(leader.election.isOpen()).isFalse();
    assertThat(events).containsExactly("a won", "a lost");
  }

  @Test
  void aLeaderWithoutRivalsWritesNothingWhileItCannotRenewAndGoesOn() {
    Candidate leader = new Candidate("a", lease, LeaderElection.Rivals.NONE);
    pass(Duration.ofMillis(100), leader);
    fate = FakeLease.Fate.TURNED_AWAY;
    pass(Duration.ofMinutes(5), leader);
    assertThat(leader.election.isOpen()).isFalse();
    assertThat(events).containsExactly("a won");

    fate = FakeLease.Fate.ANSWERED;
    pass(Duration.ofSeconds(1), leader);
    assertThat(leader.election.isOpen()).isTrue();
    assertThat(events).containsExactly("a won");
  }

  @Test
  void aLeaderWithoutRivalsEndsIfItFindsOneAfterAll() {
    Candidate leader = new Candidate("a", lease, LeaderElection.Rivals.NONE);
    pass(Duration.ofSeconds(1), leader);
    lease.set(held("b", Duration.ZERO));
    pass(Duration.ofSeconds(5), leader);

    assertThat(events).containsExactly("a won", "a lost");
  }

  @Test
  void aPausedLeaderContinuesIfNoOtherProcessHasTakenOver() {
    Candidate leader = candidate("a");
    pass(Duration.ofSeconds(1), leader);
    nanos += Duration.ofHours(1).toNanos();
    assertThat(leader.election.isOpen()).isFalse();

    pass(Duration.ofSeconds(1), leader);
    assertThat(leader.election.isOpen()).isTrue();
    assertThat(events).containsExactly("a won");
  }

  @Test
  void aLeaderWhoseLeaseWasTakenEndsAndReleasesNothing() {
    Candidate leader = candidate("a");
    pass(Duration.ofSeconds(1), leader);
    lease.set(held("b", Duration.ZERO));
    pass(Duration.ofSeconds(3), leader);
    assertThat(events).containsExactly("a won", "a lost");

    leader.election.giveBack();
    assertThat(lease.record().holder()).isEqualTo("b");
  }

  @Test
  void aLostAnswerDoesNotEndALeadership() {
    fate = FakeLease.Fate.LOST_AFTER;
    Candidate leader = candidate("a");
    pass(Duration.ofMillis(300), leader);
    assertThat(events).isEmpty();
    fate = FakeLease.Fate.ANSWERED;
    pass(Duration.ofSeconds(1), leader);
    assertThat(events).containsExactly("a won");

    for (int i = 0; i < 5; i++) {
      fate = FakeLease.Fate.LOST_AFTER;
      pass(Duration.ofMillis(2100), leader);
      fate = FakeLease.Fate.ANSWERED;
      pass(Duration.ofSeconds(1), leader);
    }
    assertThat(events).containsExactly("a won");
    assertThat(leader.election.isOpen()).isTrue();
  }

  @Test
  void aDeletedLeaseIsRecreated() {
    Candidate leader = candidate("a");
    pass(Duration.ofSeconds(1), leader);
    lease.delete();
    pass(Duration.ofSeconds(4), leader);
    assertThat(lease.record().holder()).isEqualTo("a");
    assertThat(events).containsExactly("a won");
  }

  @Test
  void aCandidateThatNeverTriedToTakeTheLeaseWritesNothingWhenItEnds() {
    lease.set(held("a", Duration.ZERO));
    Candidate candidate = candidate("b");
    pass(Duration.ofSeconds(1), candidate);
    fate = FakeLease.Fate.LOST_AFTER;
    candidate.election.giveBack();
    assertThat(lease.writes).isEqualTo(1);
  }

  /** Decision D319. */
  @Test
  void aLeaderIsToldSinceWhenOneLeadsAgainAfterLongWithoutOne() {
    Candidate first = candidate("a");
    pass(Duration.ofSeconds(1), first);
    first.election.giveBack();
    nanos += OUTAGE.minusSeconds(1).toNanos();
    wall = wall.plus(OUTAGE.minusSeconds(1));
    Candidate second = candidate("b");
    pass(Duration.ofSeconds(5), second);
    assertThat(resumed).isEmpty();

    Duration before = Duration.between(NOW, wall);
    nanos += OUTAGE.toNanos();
    wall = wall.plus(OUTAGE);
    Candidate third = candidate("c");
    pass(VALID.plusSeconds(1), third);
    assertThat(events).endsWith("c waits", "c won");
    Duration at = resumed.getFirst();
    assertThat(at).isGreaterThanOrEqualTo(before.plus(OUTAGE).plus(VALID));
    pass(Duration.ofMinutes(1), third);
    assertThat(resumed).as("it is told once").hasSize(1);

    third.election.giveBack();
    pass(Duration.ofSeconds(1), candidate("d"));
    assertThat(resumed).as("the next one knows it too").containsExactly(at, at);
  }

  @Test
  void aLeaderThatWasStoppedForLongIsToldToo() {
    Candidate leader = new Candidate("a", lease, LeaderElection.Rivals.NONE);
    pass(Duration.ofSeconds(1), leader);
    wall = wall.plus(Duration.ofHours(8));
    pass(Duration.ofSeconds(5), leader);
    assertThat(events).containsExactly("a won");
    assertThat(resumed).hasSize(1);
    assertThat(resumed.getFirst()).isGreaterThan(Duration.ofHours(8));
  }

  /** A plan may come before the renewal. */
  @Test
  void aLeaderThatWasStoppedForLongKnowsItBeforeItRenews() {
    Candidate leader = new Candidate("a", lease, LeaderElection.Rivals.NONE);
    pass(Duration.ofSeconds(1), leader);
    wall = wall.plus(OUTAGE.minusSeconds(1));
    assertThat(leader.election.resumed()).isEmpty();
    wall = wall.plusSeconds(2);
    assertThat(leader.election.resumed()).contains(wall);
    pass(Duration.ofSeconds(3), leader);
    assertThat(leader.election.resumed().map(at -> Duration.between(NOW, at)))
        .contains(resumed.getFirst());
  }

  /** What a clock recorded that was ahead would hold repairs back for too long. */
  @Test
  void anInstantOfAClockThatIsAheadCountsAsNow() {
    lease.set(
        new LeaseRecord(
            "", VALID, Optional.of(NOW), Optional.of(NOW), 3, Optional.of(NOW.plusSeconds(7200))));
    Candidate candidate = candidate("a");
    pass(Duration.ofMillis(100), candidate);
    assertThat(resumed).containsExactly(Duration.ZERO);
    pass(Duration.ofSeconds(10), candidate);
    assertThat(resumed).hasSize(1);
  }

  /** For any outcome and duration of their requests, no two candidates may write at once. */
  @Test
  void twoProcessesNeverLeadAtOnce() {
    for (long seed = 0; seed < 40; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      FakeLease shared = new FakeLease(() -> FakeLease.Fate.ANSWERED);
      List<Candidate> candidates = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        candidates.add(new Candidate(seed + "/" + i, store(shared, random)));
      }
      int leaders = 0;
      for (int step = 0; step < 3000; step++) {
        int turn = random.nextInt(candidates.size());
        candidates.get(turn).step();
        if (candidates.get(turn).over) {
          candidates.set(turn, new Candidate(seed + "/" + step, store(shared, random)));
        }
        nanos += random.nextLong(Duration.ofMillis(400).toNanos());
        wall = wall.plusSeconds(random.nextInt(-60, 61));
        long open = candidates.stream().filter(each -> each.election.isOpen()).count();
        assertThat(open).as("seed %d, step %d", seed, step).isLessThanOrEqualTo(1);
        leaders += (int) open;
      }
      assertThat(leaders).as("seed %d", seed).isPositive();
    }
  }

  private LeaseStore store(FakeLease shared, SplittableRandom random) {
    return shared.behind(() -> slowly(random));
  }

  /** A request takes up to two seconds before it takes effect. */
  private FakeLease.Fate slowly(SplittableRandom random) {
    if (random.nextInt(10) == 0) {
      nanos += random.nextLong(Duration.ofSeconds(2).toNanos());
    }
    return switch (random.nextInt(8)) {
      case 0 -> FakeLease.Fate.TURNED_AWAY;
      case 1 -> FakeLease.Fate.LOST_BEFORE;
      case 2 -> FakeLease.Fate.LOST_AFTER;
      default -> FakeLease.Fate.ANSWERED;
    };
  }
}
