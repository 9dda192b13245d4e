package io.nodepool.simulated;

import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostPhase;
import io.nodepool.fleet.Reclaim;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Decides which machines the data centre wants back from spot pools. Pure: a notice is a function
 * of time, seed and the Host, so a data centre that restarts continues where it stopped. At {@code
 * reclaimAt} it does nothing by itself: the operator has removed the machine by then. A fleet that
 * cannot wait takes the machine at that time and reports it stopped.
 */
public final class Reclaims {
  private static final double SECONDS_A_DAY = Duration.ofDays(1).toSeconds();

  /** What an annotation of a Host requests of the data centre. */
  public sealed interface ReclaimRequest {
    /** There is no annotation. */
    record None() implements ReclaimRequest {}

    /** A notice with this window; if empty, the data centre's own window. */
    record Wanted(Optional<Duration> window) implements ReclaimRequest {}

    /** The annotation cannot be read; the machine's notice stays as it is. */
    record Garbled() implements ReclaimRequest {}
  }

  /** Why the data centre wants a machine back, in the order of precedence. */
  public enum Cause {
    /** An annotation of the Host asks for it. */
    REQUESTED("The annotation of the Host asks for it."),
    /** The script of the data centre. */
    SCRIPTED("The script of the data centre reclaims it."),
    /** Chance, by the seed. */
    CHANCE("The data centre reclaims it by chance."),
    /** An on-demand pool has no other machine. */
    ON_DEMAND("An on-demand pool waits for it.");

    private final String reason;

    Cause(String reason) {
      this.reason = reason;
    }

    /** The reason of its notices, by which they are recognized after a restart. */
    public String reason() {
      return reason;
    }

    private static Optional<Cause> of(Reclaim notice) {
      return Arrays.stream(values()).filter(each -> each.reason.equals(notice.reason())).findAny();
    }
  }

  /**
   * What is wanted of a machine, apart from what its Host records.
   *
   * @param offered whether it is offered to spot pools
   * @param onDemand whether an on-demand pool needs it
   * @param bootToLeave the boot that it leaves by itself, without a request on its Host
   */
  public record Wish(
      boolean offered, ReclaimRequest request, boolean onDemand, Optional<String> bootToLeave) {
    /** A wish for a machine that does not reboot by itself. */
    public Wish(boolean offered, ReclaimRequest request, boolean onDemand) {
      this(offered, request, onDemand, Optional.empty());
    }
  }

  /**
   * What a Host reports to spot pools.
   *
   * @param wakeup when the report may change without another observation
   */
  public record Decision(Host.Spot spot, Optional<Instant> wakeup) {}

  private final long seed;
  private final Duration window;
  private final DataCentre.Mishaps mishaps;
  private final Instant start;

  /**
   * @param start when the data centre was created; its script counts from here
   */
  public Reclaims(DataCentre dataCentre, Instant start) {
    this.seed = dataCentre.seed();
    this.window = dataCentre.timings().reclaimWindow();
    this.mishaps = dataCentre.mishaps();
    this.start = start;
  }

  /**
   * Decides what the Host reports to spot pools. A notice with a reason that is not the data
   * centre's own was written by another client and stays.
   *
   * @param host with times of the data centre's own clock
   */
  public Decision decide(Host host, Wish wish, Instant now) {
    Optional<Reclaim> recorded = host.reclaim();
    Optional<Cause> cause = recorded.flatMap(Cause::of);
    Optional<Reclaim> next;
    if (recorded.isPresent() && cause.isEmpty()) {
      next = recorded;
    } else if (isHeldOnDemand(host)) {
      next = Optional.empty();
    } else {
      next =
          Arrays.stream(Cause.values())
              .filter(each ->
                  cause.filter(each::equals).isPresent()
                      ? stands(each, recorded.orElseThrow(), host, wish, now)
                      : begins(each, host, wish, now))
              .findFirst()
              .map(each -> notice(each, recorded, wish, now));
    }
    return new Decision(new Host.Spot(wish.offered(), next), wakeup(host, next, now));
  }

  /**
   * The next step of a machine: its Host's report to spot pools comes first.
   *
   * @param host with times of the data centre's own clock
   * @param node the Node of its name
   */
  public Next next(MachineLife life, Host host, Optional<JoinedNode> node, Wish wish, Instant now) {
    Decision decision = decide(host, wish, now);
    return host.report().spot().equals(decision.spot())
        ? life.next(host, node, wish.bootToLeave(), now).atLatest(decision.wakeup())
        : Next.report(host, host.report().withSpot(decision.spot()));
  }

  /** The notice of a cause; it keeps the times of a notice that it replaces. */
  private Reclaim notice(Cause cause, Optional<Reclaim> recorded, Wish wish, Instant now) {
    Instant announcedAt = recorded.map(Reclaim::announcedAt).orElse(now);
    Optional<Duration> requested =
        cause == Cause.REQUESTED && wish.request() instanceof ReclaimRequest.Wanted(var own)
            ? Optional.of(own.orElse(window))
            : Optional.empty();
    Instant reclaimAt =
        requested
            .map(announcedAt::plus)
            .or(() -> recorded.map(Reclaim::reclaimAt))
            .orElse(announcedAt.plus(window));
    return new Reclaim(announcedAt, reclaimAt, cause.reason());
  }

  private boolean begins(Cause cause, Host host, Wish wish, Instant now) {
    return switch (cause) {
      case REQUESTED -> wish.request() instanceof ReclaimRequest.Wanted;
      case SCRIPTED ->
          script(host)
              .filter(entry -> !now.isBefore(start.plus(entry.after())))
              .filter(entry -> now.isBefore(start.plus(entry.after()).plus(latest(entry))))
              .isPresent();
      case CHANCE -> chance(host).filter(at -> !now.isBefore(at)).isPresent();
      case ON_DEMAND -> wish.onDemand() && isHeldAsSpot(host);
    };
  }

  private boolean stands(Cause cause, Reclaim notice, Host host, Wish wish, Instant now) {
    return switch (cause) {
      case REQUESTED -> !(wish.request() instanceof ReclaimRequest.None);
      case SCRIPTED, CHANCE -> end(cause, notice, host).filter(now::isBefore).isPresent();
      case ON_DEMAND -> wish.onDemand();
    };
  }

  /**
   * When a notice of chance or of the script ends: one window after {@code reclaimAt}, so that the
   * spot pool refills, but not while a spot pool holds the machine.
   */
  private Optional<Instant> end(Cause cause, Reclaim notice, Host host) {
    if (cause == Cause.SCRIPTED) {
      Optional<DataCentre.ScriptedReclaim> entry = script(host);
      if (entry.isEmpty()) {
        return Optional.empty();
      }
      Optional<Duration> withdrawn = entry.get().withdrawAfter();
      if (withdrawn.isPresent()) {
        return withdrawn.map(notice.announcedAt()::plus);
      }
    }
    return Optional.of(isHeldAsSpot(host) ? Instant.MAX : notice.reclaimAt().plus(window));
  }

  private Optional<Instant> wakeup(Host host, Optional<Reclaim> next, Instant now) {
    Optional<Instant> end =
        next.flatMap(notice -> Cause.of(notice).flatMap(cause -> end(cause, notice, host)));
    Stream<Instant> beginnings =
        isHeldOnDemand(host)
            ? Stream.empty()
            : Stream.concat(
                chance(host).stream(),
                script(host).map(entry -> start.plus(entry.after())).stream());
    return Stream.concat(end.stream(), beginnings)
        .filter(at -> at.isAfter(now) && at.isBefore(Instant.MAX))
        .min(Instant::compareTo);
  }

  private Optional<DataCentre.ScriptedReclaim> script(Host host) {
    return mishaps.reclaims().stream()
        .filter(entry -> entry.host().equals(host.id().name()))
        .findFirst();
  }

  /** How late a scripted notice may still be announced; a withdrawn notice does not return. */
  private Duration latest(DataCentre.ScriptedReclaim entry) {
    return entry.withdrawAfter().filter(end -> end.compareTo(window) < 0).orElse(window);
  }

  /**
   * When chance reclaims the machine in this tenancy: after an exponentially distributed time since
   * it booted.
   */
  private Optional<Instant> chance(Host host) {
    if (mishaps.reclaimsPerDay() == 0 || !isHeldAsSpot(host) || !host.is(HostPhase.RUNNING)) {
      return Optional.empty();
    }
    double drawn = Seeds.exponential(seed, "reclaim/" + host.id().name() + "/" + host.tenancy());
    double seconds = drawn * SECONDS_A_DAY / mishaps.reclaimsPerDay();
    return Optional.of(host.report().since().plusMillis((long) (seconds * 1000)));
  }

  static boolean isHeldAsSpot(Host host) {
    return host.assignment().filter(Assignment::isSpot).isPresent();
  }

  private static boolean isHeldOnDemand(Host host) {
    return host.assignment().isPresent() && !isHeldAsSpot(host);
  }
}
