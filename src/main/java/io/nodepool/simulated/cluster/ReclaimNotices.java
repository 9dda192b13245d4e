package io.nodepool.simulated.cluster;

import io.nodepool.kubernetes.thread.Timers;
import io.nodepool.model.pool.Pool;
import io.nodepool.simulated.OnDemandQueue;
import io.nodepool.simulated.Reclaims;
import io.nodepool.simulated.Reclaims.ReclaimRequest;
import io.nodepool.vocabulary.DurationText;
import io.nodepool.vocabulary.UserText;
import io.nodepool.vocabulary.metadata.HostAnnotations;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The machines that a data centre wants back from spot pools: the machines that on-demand pools
 * need, by the observed NodePools, and the machines that annotations of Hosts name. Confined to the
 * data centre's thread.
 */
final class ReclaimNotices {
  private static final Logger log = LoggerFactory.getLogger(ReclaimNotices.class);
  private static final Duration BETWEEN_CHECKS = Duration.ofSeconds(1);

  private final SimulatedMachines machines;
  private final Timers<FleetKey> timers;
  private final Consumer<FleetKey> wake;
  private final InstantSource clock;
  private final int speed;

  /** By UID. */
  private final Map<String, Pool> pools = new HashMap<>();

  /** What is wrong with the annotations of Hosts, by the Hosts' names. */
  private final TreeMap<String, String> problems = new TreeMap<>();

  /** Names of the Hosts that on-demand pools need. */
  private Set<String> needed = new TreeSet<>();

  private boolean listed;
  private boolean waiting;
  private Instant lastCheck = Instant.MIN;

  /**
   * @param wake receives the keys to reconcile again
   * @param speed the factor by which the data centre is faster than described
   */
  ReclaimNotices(
      SimulatedMachines machines,
      Timers<FleetKey> timers,
      Consumer<FleetKey> wake,
      InstantSource clock,
      int speed) {
    this.machines = machines;
    this.timers = timers;
    this.wake = wake;
    this.clock = clock;
    this.speed = speed;
  }

  /** Called when every kind was listed once; before, a queue may seem longer than it is. */
  void listed() {
    listed = true;
    changed();
  }

  /** Observes a NodePool. */
  void poolSeen(Pool pool) {
    Pool last = pools.get(pool.id().uid());
    if (last == null || last.version() < pool.version()) {
      pools.put(pool.id().uid(), pool);
      changed();
    }
  }

  /** Observes the deletion of a NodePool. */
  void poolGone(String uid) {
    pools.remove(uid);
    changed();
  }

  /** Observes what a Host's annotation requests; empty if it has none. */
  void annotationSeen(String host, Optional<String> annotation) {
    Optional<String> problem =
        annotation
            .filter(_ -> request(annotation) instanceof ReclaimRequest.Garbled)
            .map(text ->
                "Host %s: annotation %s: %s is neither true nor a duration of more than 0s; write it like 90s, 7m or 1h30m."
                    .formatted(host, HostAnnotations.RECLAIM.key(), UserText.quoted(text)));
    Optional<String> last =
        Optional.ofNullable(
            problem.isPresent() ? problems.put(host, problem.get()) : problems.remove(host));
    if (problem.isPresent() && !problem.equals(last)) {
      log.warn("{}", problem.get());
    }
    if (problem.isPresent() || last.isPresent()) {
      wake.accept(FleetKey.Report.STATUS);
    }
  }

  /** Observes a change of any Host. */
  void changed() {
    if (listed && (waiting || OnDemandQueue.isAnyWaiting(pools.values()))) {
      check();
    }
  }

  /** Determines anew, at most once a second, which machines on-demand pools need. */
  void check() {
    Instant now = clock.instant();
    if (!lastCheck.equals(Instant.MIN) && now.isBefore(lastCheck.plus(BETWEEN_CHECKS))) {
      timers.at(FleetKey.Upkeep.RECLAIMS, lastCheck.plus(BETWEEN_CHECKS));
      return;
    }
    lastCheck = now;
    Set<String> last = needed;
    Set<String> next = OnDemandQueue.needed(pools.values(), machines.observedHosts().toList());
    needed = next;
    waiting = !next.isEmpty() || OnDemandQueue.isAnyWaiting(pools.values());
    Stream.concat(last.stream(), next.stream())
        .filter(name -> last.contains(name) != next.contains(name))
        .sorted()
        .forEach(name -> wake.accept(new FleetKey.OfMachine(name)));
  }

  /** What is wanted of a machine. */
  Reclaims.Wish wish(SimulatedMachine machine) {
    return new Reclaims.Wish(
        machine.slot != null && machine.slot.spot(),
        request(machine.reclaimRequest),
        needed.contains(machine.name),
        machine.bootToLeave);
  }

  private ReclaimRequest request(Optional<String> annotation) {
    if (annotation.isEmpty()) {
      return new ReclaimRequest.None();
    }
    String text = annotation.get();
    if (text.isEmpty() || text.equals("true")) {
      return new ReclaimRequest.Wanted(Optional.empty());
    }
    return DurationText.parse(text)
        .filter(Duration::isPositive)
        .<ReclaimRequest>map(each -> new ReclaimRequest.Wanted(Optional.of(each.dividedBy(speed))))
        .orElseGet(ReclaimRequest.Garbled::new);
  }

  /** What is wrong with the first annotation that cannot be read. */
  Optional<String> problem() {
    return problems.values().stream().findFirst();
  }
}
