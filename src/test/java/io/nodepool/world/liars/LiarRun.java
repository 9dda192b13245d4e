package io.nodepool.world.liars;

import io.nodepool.health.catalogue.Alert;
import io.nodepool.health.catalogue.AlertCatalogue;
import io.nodepool.health.catalogue.Grade;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import java.util.SplittableRandom;

/**
 * What happens in one run: pools, their work and their fleet, those who lie, true faults, and what
 * else people do. All of it follows from the seed.
 *
 * @param protects whether the pools protect work ({@code disableUnhealthyNodeEviction})
 * @param beside what else happens to the first pool, each once
 * @param changes how the world changes
 * @param reaction what happens some time after work on a Node begins to be ended
 */
record LiarRun(
    long seed,
    List<PoolPlan> pools,
    boolean protects,
    Fleet fleet,
    Work work,
    List<Liar> liars,
    Optional<TrueFault> fault,
    List<Timed<Beside>> beside,
    List<Timed<Change>> changes,
    Optional<Timed<Reaction>> reaction) {

  /**
   * A pool.
   *
   * @param racks how many racks it wants; 0 for one that wants Nodes
   */
  record PoolPlan(int size, int racks, boolean spot) {
    @Override
    public String toString() {
      return (racks > 0 ? racks + " racks" : size + " Nodes") + (spot ? " (spot)" : "");
    }
  }

  /** How its fleet verifies. */
  enum Fleet {
    VERIFIES(Duration.ofMinutes(10)),
    SLOWLY(Duration.ofMinutes(45)),
    /** Not before the run is over. */
    NEVER(Duration.ofDays(90)),
    /** It does not verify at all. */
    CANNOT(Duration.ofMinutes(10)),
    /** One of the machines about which is lied does not pass its first verification. */
    STRAY(Duration.ofMinutes(10));

    final Duration verification;

    Fleet(Duration verification) {
      this.verification = verification;
    }
  }

  /**
   * What tenants run.
   *
   * @param busy the percentage of the Nodes with a Pod
   * @param lasts how long a Pod runs; many days for one that does not end
   * @param guarded whether budgets block evictions
   */
  record Work(int busy, Duration lasts, boolean guarded) {
    static final Duration ENDLESS = Duration.ofDays(90);

    boolean isEndless() {
      return lasts.equals(ENDLESS);
    }

    @Override
    public String toString() {
      return "%d %% busy for %s%s"
          .formatted(busy, isEndless() ? "ever" : text(lasts), guarded ? ", guarded" : "");
    }
  }

  /** How many machines have a fault. */
  enum Extent {
    ONE,
    FIVE,
    QUARTER,
    RACK,
    /** All, after a power failure. */
    ALL
  }

  /** A fault that machines of the first pool have. */
  record TrueFault(String alert, Extent extent, Duration from) {
    @Override
    public String toString() {
      return "%s of %s at %s".formatted(alert, extent, text(from));
    }
  }

  /** What else happens to the first pool. */
  enum Beside {
    ROLLOUT,
    SPOT,
    USERS_VERIFICATION,
    USERS_REBOOT,
    CORDON,
    SHRINK,
    GROW,
    DELETION,
    PRESERVE,
    PARTITION,
    RESTART
  }

  /** How the world changes. */
  enum Change {
    WEAKER_GRADE,
    STRONGER_GRADE,
    BAD_DOCUMENT,
    SHIPPED_GRADES,
    OBSERVE,
    ACT,
    OTHER_LIMITS,
    PROTECT,
    UNPROTECT,
    NO_VERIFICATION,
    NO_BOOTS,
    ALL_OFFERED,
    LOSE_OFFER
  }

  /** What happens while a Node is drained. */
  enum Reaction {
    /** The liar does not name the Node any more. */
    WITHDRAWN,
    PROTECTED,
    OBSERVED,
    WATCHED,
    RESTARTED,
    VERIFICATION_ASKED
  }

  /** Something at a time since the pools have grown. */
  record Timed<T>(T what, Duration at) {
    @Override
    public String toString() {
      return what + " at " + text(at);
    }
  }

  /** A duration as people write it. */
  static String text(Duration duration) {
    return duration.toString().substring(2).toLowerCase(Locale.ROOT);
  }

  /** The longest time of lies. */
  private static final int LIES_HOURS = 30;

  static LiarRun of(long seed) {
    return new Draw(new SplittableRandom(seed)).run(seed);
  }

  /** Whether grades, brakes or the offer are not what they were at the beginning. */
  boolean isChanged() {
    return !changes.isEmpty() || reaction.isPresent();
  }

  /** When the last of those who lie, and of those who did something beside, has ended. */
  Duration liesEnd() {
    Duration end = Duration.ofHours(1);
    for (Liar liar : liars) {
      end = max(end, liar.from().plus(liar.lasts()));
    }
    return end;
  }

  static Duration max(Duration one, Duration other) {
    return one.compareTo(other) > 0 ? one : other;
  }

  @Override
  public String toString() {
    return "seed %d: pools %s, %s, fleet %s, %s; lies %s; fault %s; beside %s; changes %s%s"
        .formatted(
            seed,
            pools,
            protects ? "protected" : "not protected",
            fleet,
            work,
            liars,
            fault.map(TrueFault::toString).orElse("none"),
            beside,
            changes,
            reaction.map(each -> "; as work ends, " + each).orElse(""));
  }

  /** Draws a run. */
  private record Draw(SplittableRandom random) {
    private static final List<Alert> ACTING =
        AlertCatalogue.shipped().all().stream()
            .filter(alert -> alert.grade().repairs())
            .filter(alert -> alert.subject().isOfOneHost())
            .filter(alert -> !alert.name().startsWith("KubeNode"))
            .toList();

    private boolean percent(int percent) {
      return random.nextInt(100) < percent;
    }

    private <T> T any(List<T> of) {
      return of.get(random.nextInt(of.size()));
    }

    private Duration minutes(int from, int to) {
      return Duration.ofMinutes(from + random.nextInt(to - from));
    }

    LiarRun run(long seed) {
      boolean racks = percent(6);
      Optional<TrueFault> fault = percent(45) ? Optional.of(fault(racks)) : Optional.empty();
      boolean lies = fault.isEmpty() || percent(50);
      List<PoolPlan> pools = pools(racks, fault);
      List<Liar> liars = lies ? liars(pools.size(), fault) : List.of();
      return new LiarRun(
          seed,
          pools,
          percent(60),
          any(
              List.of(
                  Fleet.VERIFIES,
                  Fleet.VERIFIES,
                  Fleet.VERIFIES,
                  Fleet.SLOWLY,
                  Fleet.NEVER,
                  Fleet.CANNOT,
                  Fleet.STRAY)),
          work(fault),
          liars,
          fault,
          beside(pools.getFirst(), fault.isPresent()),
          percent(30) ? changes() : List.of(),
          percent(30)
              ? Optional.of(new Timed<>(any(List.of(Reaction.values())), minutes(0, 25)))
              : Optional.empty());
    }

    private List<PoolPlan> pools(boolean racks, Optional<TrueFault> fault) {
      List<PoolPlan> pools = new ArrayList<>();
      if (racks) {
        pools.add(new PoolPlan(0, percent(70) ? 1 : 2, false));
        return pools;
      }
      pools.add(new PoolPlan(size(fault), 0, percent(10)));
      if (percent(12)) {
        pools.add(new PoolPlan(3 + random.nextInt(5), 0, false));
      }
      if (percent(5)) {
        pools.add(new PoolPlan(3 + random.nextInt(5), 0, false));
      }
      return pools;
    }

    private int size(Optional<TrueFault> fault) {
      Extent extent = fault.map(TrueFault::extent).orElse(Extent.QUARTER);
      return switch (extent) {
        case ONE -> 3;
        case FIVE -> 20;
        case QUARTER, RACK, ALL ->
            percent(75)
                ? 3 + random.nextInt(8)
                : percent(88) ? 11 + random.nextInt(10) : 21 + random.nextInt(40);
      };
    }

    private TrueFault fault(boolean racks) {
      return new TrueFault(
          alert(false).name(),
          racks
              ? any(List.of(Extent.ONE, Extent.QUARTER, Extent.RACK, Extent.RACK))
              : any(List.of(Extent.ONE, Extent.FIVE, Extent.QUARTER, Extent.ALL)),
          minutes(0, 8 * 60));
    }

    /** An alert, of each grade equally often. */
    private Alert alert(boolean all) {
      List<Grade> grades = ACTING.stream().map(Alert::grade).distinct().sorted().toList();
      Grade grade = any(all ? grades : grades.stream().filter(g -> g != Grade.REPAIR_DPU).toList());
      return any(ACTING.stream().filter(alert -> alert.grade() == grade).toList());
    }

    private Work work(Optional<TrueFault> fault) {
      Duration lasts =
          fault.isEmpty() && percent(50)
              ? Work.ENDLESS
              : Duration.ofMinutes(120 + random.nextInt(240));
      return new Work(any(List.of(0, 30, 60, 90, 100, 100)), lasts, percent(20));
    }

    private List<Liar> liars(int pools, Optional<TrueFault> fault) {
      int count = any(List.of(1, 1, 1, 1, 2, 5, 6, 8));
      boolean together = percent(70);
      List<Liar> liars = new ArrayList<>();
      Liar first = liar(pools, fault);
      liars.add(first);
      List<Alert> names = new ArrayList<>(ACTING);
      Collections.shuffle(names, new Random(random.nextLong()));
      names.removeIf(alert -> alert.name().equals(first.alert()));
      fault.ifPresent(each -> names.removeIf(alert -> alert.name().equals(each.alert())));
      for (int i = 1; i < count; i++) {
        Liar next = together ? first : liar(pools, fault);
        liars.add(
            new Liar(
                names.get(i).name(),
                next.pool(),
                next.who(),
                next.from().plusMinutes(together ? random.nextInt(3) : 0),
                next.lasts(),
                next.holdsOn(),
                next.renews(),
                next.writes(),
                next.dies()));
      }
      return liars;
    }

    private Liar liar(int pools, Optional<TrueFault> fault) {
      String alert = fault.isPresent() && percent(20) ? fault.get().alert() : alert(true).name();
      Duration lasts = percent(50) ? minutes(3 * 60, 12 * 60) : minutes(12 * 60, LIES_HOURS * 60);
      boolean dies = percent(8);
      return new Liar(
          alert,
          percent(80) ? 0 : random.nextInt(pools),
          any(List.of(Liar.Who.values())),
          minutes(0, 4 * 60),
          lasts,
          percent(50),
          percent(50),
          Duration.ofHours(3),
          dies ? lasts.dividedBy(4) : lasts.plusHours(1));
    }

    private List<Timed<Beside>> beside(PoolPlan pool, boolean isTrue) {
      List<Timed<Beside>> beside = new ArrayList<>();
      int count = any(List.of(0, 0, 1, 1, 1, 2));
      for (int i = 0; i < count; i++) {
        Beside what = any(List.of(Beside.values()));
        boolean fits =
            switch (what) {
              case SPOT -> pool.spot();
              case SHRINK, GROW -> pool.racks() == 0 && !isTrue;
              case DELETION, PARTITION, ROLLOUT -> !isTrue;
              case USERS_VERIFICATION, USERS_REBOOT, CORDON, PRESERVE, RESTART -> true;
            };
        if (fits) {
          beside.add(new Timed<>(what, minutes(0, 24 * 60)));
        }
      }
      if (pool.spot() && beside.isEmpty()) {
        beside.add(new Timed<>(Beside.SPOT, minutes(0, 24 * 60)));
      }
      return beside;
    }

    private List<Timed<Change>> changes() {
      List<Timed<Change>> changes = new ArrayList<>();
      int count = 1 + random.nextInt(4);
      for (int i = 0; i < count; i++) {
        changes.add(new Timed<>(any(List.of(Change.values())), minutes(0, 24 * 60)));
      }
      return changes;
    }
  }
}
