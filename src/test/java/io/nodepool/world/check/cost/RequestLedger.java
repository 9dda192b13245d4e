package io.nodepool.world.check.cost;

import io.nodepool.control.LoopSettings;
import io.nodepool.control.write.BackOff;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.PoolId;
import io.nodepool.model.Observation;
import io.nodepool.plan.Action;
import io.nodepool.plan.NodePurpose;
import io.nodepool.world.check.Invariants;
import io.nodepool.world.cluster.WorldCluster;
import io.nodepool.world.operator.Faults;
import io.nodepool.world.operator.OperatorProcess;
import io.nodepool.world.operator.Request;
import io.nodepool.world.operator.WatchStream;
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
 * Checks the number of the operators' requests: each object gets a bounded number in a minute, and
 * none is repeated unchanged unless the waits grow.
 */
public final class RequestLedger {
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final Duration HOUR = Duration.ofHours(1);

  /** How often an operator may withdraw the admission of a Node in an hour. */
  private static final int TAKEN_BACK_IN_AN_HOUR = 8;

  /** The number of requests on one object in a minute without faults. */
  private static final int BUSIEST_MINUTE = 12;

  /**
   * Requests for each attempt. The most are those about a Node whose drain is due at once, and
   * whose record another client removes each time: the record, a list of its Pods, the commitment,
   * and a list after it and after its report.
   */
  private static final int REQUESTS_OF_A_TRY = 5;

  /** The factor for runs in which answers are lost and writes are refused. */
  private static final int ROUGH_FACTOR = 3;

  /** The number of different statuses and conditions of one object in a minute. */
  private static final int REPORTS = 150;

  /** The same for a pool: each of its machines may change as often as writes on it are tried. */
  private static final int REPORTS_OF_A_POOL = 400;

  /** Requests that report a state, and may be repeated whenever it changes. */
  private static final Set<String> REPORTING =
      Set.of(
          "PublishStatus", NodePurpose.REPORT_ACTIVITY.name(), NodePurpose.REPORT_REMOVAL.name());

  private static final String WITHDRAWN = NodePurpose.WITHDRAW.name();

  /** The tolerance for a wait below its rule, because of answer times and jitter. */
  private static final double TOLERANCE = 0.8;

  /** The least ratio of the longest to the shortest wait if waits grow. */
  private static final double GROWTH = 1.5;

  /** The number of repeats whose waits are compared. */
  private static final int REPEATS = 5;

  /** The fixed intervals of live reads, which apply while the back-off is shorter. */
  private static final Map<String, Duration> PACES =
      Map.of(
          "ListPods", Duration.ofSeconds(1),
          "ReadMachine", Duration.ofSeconds(10),
          "ReadJob", Duration.ofSeconds(15),
          "RunJob", Duration.ofSeconds(15));

  /** The wait before an eviction is retried that a budget refused. */
  private static final Duration EVICTION_RETRY = Duration.ofSeconds(10);

  /** One operator's requests on one object; a new operator starts a new count. */
  private record Address(OperatorProcess sender, Action.Subject subject) {}

  /** Requests on one object that report a state, or that change one. */
  private record Sort(Address address, boolean reports) {}

  /**
   * A request.
   *
   * @param knownSince the oldest moment that its sender may have taken for the present
   */
  private record Sent(Instant at, Instant knownSince) {}

  /** One kind of request on one object. */
  private record Purpose(Address address, String kind) {}

  private static final class Repeats {
    @Nullable Object what;
    Instant at = Instant.MIN;

    /** The last waits, in order. */
    final Deque<Duration> gaps = new ArrayDeque<>();

    long changes;
  }

  private final InstantSource clock;
  private final LoopSettings timings;
  private final int atMost;
  private final Map<Sort, Deque<Sent>> lastMinute = new HashMap<>();
  private final Map<Purpose, Repeats> repeats = new HashMap<>();

  /** The number of changes of each machine, pool, Pod or Namespace, by name or UID. */
  private final Map<String, Long> changes = new HashMap<>();

  /** When the Pods of each Node changed, in order, by the name of the Node. */
  private final Map<String, List<Instant>> work = new HashMap<>();

  /** When admissions of Nodes were withdrawn in the last hour. */
  private final Map<Address, Deque<Instant>> takenBack = new HashMap<>();

  /** The number of changes of each of these Nodes when its admission was last withdrawn. */
  private final Map<Address, Long> takenBackAt = new HashMap<>();

  private final List<String> complaints = new ArrayList<>();

  /** Creates an empty ledger. */
  public RequestLedger(
      WorldCluster cluster, InstantSource clock, LoopSettings timings, Faults faults) {
    this.clock = clock;
    this.timings = timings;
    int calm = BUSIEST_MINUTE + REQUESTS_OF_A_TRY * triesInAMinute(timings);
    this.atMost = faults.areRough() ? ROUGH_FACTOR * calm : calm;
    cluster.watch(this::changed, WorldCluster.Kind.values());
  }

  /** The number of attempts in a minute of a request that always fails or is always undone. */
  private static int triesInAMinute(LoopSettings timings) {
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
    changes.merge(WatchStream.name(seen), 1L, Long::sum);
    if (seen instanceof Observation.PodSeen(var pod)) {
      ofWork(pod.nodeName());
    } else if (seen instanceof Observation.PodGone(String node, _, _)) {
      ofWork(node);
    }
  }

  private void ofWork(String node) {
    changes.merge(node, 1L, Long::sum);
    work.computeIfAbsent(node, _ -> new ArrayList<>()).add(clock.instant());
  }

  /** Requests that were repeated too often. */
  public List<String> complaints() {
    return Collections.unmodifiableList(complaints);
  }

  /** Records that a request's piece is sent. */
  public void sent(Request request, Request.Piece piece) {
    switch (piece) {
      case Request.Piece.Act(Action action) ->
          sent(
              new Address(request.sender, action.subject()),
              kind(action),
              what(action),
              request.knownSince);
      case Request.Piece.Read(Action.Subject subject) ->
          sent(new Address(request.sender, subject), "read", "read", request.knownSince);
      case Request.Piece.Emit _, Request.Piece.SetFinalizer _ -> {}
    }
  }

  /**
   * How many reports on an object are allowed in a minute. All that the Pods of a Node did while
   * its operator observed nothing may arrive within seconds, and each of it is another activity.
   */
  private int reports(Address address, Instant knownSince) {
    return address.subject() instanceof Action.Subject.OfNode(String name, String _)
        ? Math.max(REPORTS, workSince(name, knownSince))
        : REPORTS_OF_A_POOL;
  }

  private int workSince(String node, Instant since) {
    List<Instant> all = work.getOrDefault(node, List.of());
    int first = all.size();
    while (first > 0 && !all.get(first - 1).isBefore(since)) {
      first--;
    }
    return all.size() - first;
  }

  private void sent(Address address, String kind, Object what, Instant knownSince) {
    Instant now = clock.instant();
    boolean reports = REPORTING.contains(kind);
    Deque<Sent> times =
        lastMinute.computeIfAbsent(new Sort(address, reports), key -> new ArrayDeque<>());
    while (!times.isEmpty() && !times.getFirst().at().isAfter(now.minus(MINUTE))) {
      times.removeFirst();
    }
    times.addLast(new Sent(now, knownSince));
    Invariants.require(
        times.size() <= (reports ? reports(address, times.getFirst().knownSince()) : atMost),
        "{} requests about {} in a minute, the last one: {}",
        times.size(),
        address.subject(),
        what);
    repeated(address, kind, what, now);
    if (kind.equals(WITHDRAWN)) {
      takenBack(address, now);
    }
  }

  /**
   * Checks that an admission is not withdrawn too often. One that is tried again on the same Node,
   * because the watch is late, is not taken back once more.
   */
  private void takenBack(Address address, Instant now) {
    Long changed = changes.getOrDefault(name(address.subject()), 0L);
    if (changed.equals(takenBackAt.put(address, changed))) {
      return;
    }
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

  /** The number of a back-off's waits that are shorter than a fixed interval, and so equal it. */
  private int waitsBelow(Duration pace) {
    BackOff backOff = timings.backOff();
    int waits = 0;
    while (backOff.after(waits + 1).compareTo(pace) < 0
        && backOff.after(waits + 1).compareTo(backOff.longest()) < 0) {
      waits++;
    }
    return waits;
  }

  /**
   * Whether the waits grow as those of a back-off do, or have the length that the rule requires.
   */
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
    if (action instanceof Action.WriteNode write) {
      return write.purpose().name();
    }
    return action instanceof Action.OnHost(var operation)
        ? operation.getClass().getSimpleName()
        : action.getClass().getSimpleName();
  }

  /** The content of a request, without instants and versions. */
  private static Object what(Action action) {
    if (action instanceof Action.OnHost(var operation)) {
      return operation.id();
    }
    boolean isOfState =
        action instanceof Action.PublishStatus
            || (action instanceof Action.WriteNode write && !write.purpose().isOfDisruption());
    return isOfState ? action.traits().effects() : kind(action);
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
