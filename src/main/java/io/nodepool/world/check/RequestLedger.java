package io.nodepool.world.check;

import io.nodepool.control.LoopTimings;
import io.nodepool.control.write.BackOff;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.PoolId;
import io.nodepool.model.Observation;
import io.nodepool.plan.Action;
import io.nodepool.world.Faults;
import io.nodepool.world.OperatorProcess;
import io.nodepool.world.Request;
import io.nodepool.world.cluster.WorldCluster;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.helpers.MessageFormatter;

/**
 * What the operators send: no object gets more than a handful of requests in a minute, and none is
 * repeated unchanged unless the waits between grow.
 */
public final class RequestLedger {
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final Duration HOUR = Duration.ofHours(1);

  /** How often a mark may be put on a Node and taken back. */
  private static final int TAKEN_BACK_IN_AN_HOUR = 8;

  /** Requests about one object in a minute in which all goes well. */
  private static final int BUSIEST_MINUTE = 12;

  /**
   * With each try there may be a look before it, and a look at what became of it or a request that
   * takes back what is left.
   */
  private static final int REQUESTS_OF_A_TRY = 3;

  /** How many times more requests there are where answers get lost and writes are turned away. */
  private static final int ROUGH_FACTOR = 3;

  /** Statuses and conditions of one object in a minute, each of which says something else. */
  private static final int REPORTS = 150;

  /** The same of a pool: each of its machines may change as often as writes about it are tried. */
  private static final int REPORTS_OF_A_POOL = 400;

  /** Requests that say how things are, and may be made as often as that changes. */
  private static final Set<String> SAYING = Set.of("PublishStatus", "ReportNode", "ReportRemoval");

  /** How much shorter a wait may be than its rule says: answers take time, and so may jitter. */
  private static final double TOLERANCE = 0.8;

  /** By how much the longest of several waits is longer than the shortest if they grow. */
  private static final double GROWTH = 1.5;

  /** Of so many repeats the waits are compared. */
  private static final int REPEATS = 5;

  /** Live looks have a pace of their own: as long as the waits of the back-off are shorter. */
  private static final Map<String, Duration> PACES =
      Map.of("ListPods", Duration.ofSeconds(1), "LookAtMachine", Duration.ofSeconds(10));

  /** The wait after which an eviction is tried again that a budget refused. */
  private static final Duration EVICTION_RETRY = Duration.ofSeconds(10);

  /** What one operator sends about one object; another operator begins anew. */
  private record Address(OperatorProcess sender, Action.Subject subject) {}

  /** Requests about one object that say how things are, or that ask for something. */
  private record Sort(Address address, boolean says) {}

  /** One kind of request about one object. */
  private record Purpose(Address address, String kind) {}

  private static final class Repeats {
    @Nullable Object what;
    Instant at = Instant.MIN;

    /** The last waits, in order. */
    final Deque<Duration> gaps = new ArrayDeque<>();

    long changes;
  }

  private final InstantSource clock;
  private final LoopTimings timings;
  private final int atMost;
  private final Map<Sort, Deque<Instant>> lastMinute = new HashMap<>();
  private final Map<Purpose, Repeats> repeats = new HashMap<>();

  /** How often something about a machine, pool, Pod or Namespace changed, by its name or UID. */
  private final Map<String, Long> changes = new HashMap<>();

  /** When the marks of Nodes were taken back, in the last hour. */
  private final Map<Address, Deque<Instant>> takenBack = new HashMap<>();

  private final List<String> complaints = new ArrayList<>();
  private int busiest;

  /** A ledger without a request. */
  public RequestLedger(
      WorldCluster cluster, InstantSource clock, LoopTimings timings, Faults faults) {
    this.clock = clock;
    this.timings = timings;
    int calm = BUSIEST_MINUTE + REQUESTS_OF_A_TRY * triesInAMinute(timings);
    this.atMost = faults.areRough() ? ROUGH_FACTOR * calm : calm;
    for (WorldCluster.Kind kind : WorldCluster.Kind.values()) {
      cluster.watch(kind, this::changed);
    }
  }

  /** How often a request is tried that keeps failing, or that another client keeps undoing. */
  private static int triesInAMinute(LoopTimings timings) {
    BackOff backOff = timings.backOff();
    int tries = 0;
    for (Duration at = Duration.ZERO;
        at.compareTo(MINUTE) < 0;
        at = at.plus(backOff.after(tries))) {
      tries++;
    }
    return tries;
  }

  private void changed(Observation seen) {
    changes.merge(OperatorProcess.Stream.name(seen), 1L, Long::sum);
    if (seen instanceof Observation.PodSeen(var pod)) {
      changes.merge(pod.nodeName(), 1L, Long::sum);
    } else if (seen instanceof Observation.PodGone(String node, _, _)) {
      changes.merge(node, 1L, Long::sum);
    }
  }

  /** Requests that were repeated unchanged although the waits between did not grow. */
  public List<String> complaints() {
    return Collections.unmodifiableList(complaints);
  }

  /** The most requests about one object in any minute so far, reports left out. */
  public int busiest() {
    return busiest;
  }

  /** A request's piece is sent. */
  public void sent(Request request, Request.Piece piece) {
    switch (piece) {
      case Request.Piece.Act(Action action) ->
          sent(new Address(request.sender, action.subject()), kind(action), what(action));
      case Request.Piece.Read(Action.Subject subject) ->
          sent(new Address(request.sender, subject), "read", "read");
      case Request.Piece.Emit _, Request.Piece.SetFinalizer _ -> {}
    }
  }

  private static int reports(Address address) {
    return address.subject() instanceof Action.Subject.OfPool ? REPORTS_OF_A_POOL : REPORTS;
  }

  private void sent(Address address, String kind, Object what) {
    Instant now = clock.instant();
    boolean says = SAYING.contains(kind);
    Deque<Instant> times =
        lastMinute.computeIfAbsent(new Sort(address, says), key -> new ArrayDeque<>());
    while (!times.isEmpty() && !times.getFirst().isAfter(now.minus(MINUTE))) {
      times.removeFirst();
    }
    times.addLast(now);
    if (!says) {
      busiest = Math.max(busiest, times.size());
    }
    Invariants.require(
        times.size() <= (says ? reports(address) : atMost),
        "{} requests about {} in a minute, the last one: {}",
        times.size(),
        address.subject(),
        what);
    repeated(address, kind, what, now);
    if (kind.equals("UnmarkRemoval")) {
      takenBack(address, now);
    }
  }

  /** A mark that is put on a Node and taken off again and again helps nobody. */
  private void takenBack(Address address, Instant now) {
    Deque<Instant> times = takenBack.computeIfAbsent(address, key -> new ArrayDeque<>());
    times.removeIf(at -> at.isBefore(now.minus(HOUR)));
    times.addLast(now);
    if (times.size() > TAKEN_BACK_IN_AN_HOUR) {
      complaints.add(
          "the mark of %s was taken back %d times in an hour"
              .formatted(address.subject(), times.size()));
    }
  }

  private void repeated(Address address, String kind, Object what, Instant now) {
    Repeats last = repeats.computeIfAbsent(new Purpose(address, kind), key -> new Repeats());
    long changed = changes.getOrDefault(name(address.subject()), 0L);
    Duration gap = last.what == null ? Duration.ZERO : Duration.between(last.at, now);
    boolean same = what.equals(last.what) && changed == last.changes;
    if (!same) {
      last.gaps.clear();
    } else {
      last.gaps.addLast(gap);
    }
    int compared = REPEATS + waitsBelow(PACES.getOrDefault(kind, Duration.ZERO));
    if (last.gaps.size() > compared) {
      last.gaps.removeFirst();
      if (!areLongEnough(last.gaps, kind)) {
        complaints.add(
            MessageFormatter.arrayFormat(
                    "{} about {} is repeated unchanged with the waits {}",
                    new Object[] {kind, address.subject(), last.gaps})
                .getMessage());
      }
    }
    last.what = what;
    last.at = now;
    last.changes = changed;
  }

  /** How many waits of a back-off are shorter than a pace, and so as long as that. */
  private int waitsBelow(Duration pace) {
    BackOff backOff = timings.backOff();
    int waits = 0;
    while (backOff.after(waits + 1).compareTo(pace) < 0
        && backOff.after(waits + 1).compareTo(backOff.longest()) < 0) {
      waits++;
    }
    return waits;
  }

  /** Whether the waits differ as those of a back-off do, or are as long as they are to be. */
  private boolean areLongEnough(Deque<Duration> gaps, String kind) {
    boolean ends = kind.equals("EvictPod") || kind.equals("DeletePod");
    Duration shortest = Collections.min(gaps);
    return Collections.max(gaps).toNanos() >= shortest.toNanos() * GROWTH
        || isAtLeast(gaps.getLast(), timings.backOff().longest())
        || (ends && isAtLeast(gaps.getLast(), EVICTION_RETRY));
  }

  private static boolean isAtLeast(Duration gap, Duration rule) {
    return gap.toNanos() >= rule.toNanos() * TOLERANCE;
  }

  private static String kind(Action action) {
    return action instanceof Action.OnHost(var operation)
        ? operation.getClass().getSimpleName()
        : action.getClass().getSimpleName();
  }

  /** What a request says, but for instants and versions. */
  private static Object what(Action action) {
    return switch (action) {
      case Action.ReportNode report -> report.activity();
      case Action.ReportRemoval report -> report.says();
      case Action.ApplyMetadata metadata -> metadata.change();
      case Action.PublishStatus publish -> publish.status();
      case Action.OnHost(var operation) -> operation.id();
      case Action.Cordon _,
          Action.RelabelNamespace _,
          Action.AskLabelAuthor _,
          Action.LookAtMachine _,
          Action.MarkRemoval _,
          Action.UnmarkRemoval _,
          Action.BeginRemoval _,
          Action.ListPods _,
          Action.EvictPod _,
          Action.DeletePod _,
          Action.DeleteNode _,
          Action.LabelNamespace _,
          Action.Confirm _,
          Action.ConfirmEmpty _ ->
          kind(action);
    };
  }

  private static String name(Action.Subject subject) {
    return switch (subject) {
      case Action.Subject.OfHost(HostId host) -> host.name();
      case Action.Subject.OfNode(String name, String _) -> name;
      case Action.Subject.OfPod(String _, String _, String uid, String _) -> uid;
      case Action.Subject.OfPool(PoolId pool) -> pool.name();
      case Action.Subject.OfNamespace(String name, String _) -> "namespace " + name;
    };
  }
}
