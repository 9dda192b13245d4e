package io.nodepool.control.state.machine;

import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.BootRequest;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostPhase;
import io.nodepool.fleet.PoolId;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Member;
import io.nodepool.model.node.Node;
import io.nodepool.vocabulary.LowerCaseWord;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The Nodes of each pool that are delivered or disrupted: their number by cause and stage, and
 * since when the first of them is in this stage. Work per change does not grow with a pool.
 * Confined to the decision thread.
 */
public final class NodesInWork {
  /** The cause of a Node that is being delivered to its pool. */
  private static final String DELIVERY = "Delivery";

  /**
   * The cause of a machine that its pool gives back to the fleet, and that no longer has a Node.
   */
  private static final String RETURN = "Return";

  /** The stage of the work on a Node. */
  public enum Stage implements LowerCaseWord {
    /** Its machine is assigned and has not booted. */
    BOOTING,
    /** Its machine runs, and its Node is not registered. */
    JOINING,
    /** It is cordoned and waits. */
    CORDONED,
    /** It is drained. */
    DRAINING,
    /** It is drained, and its machine is kept for inspection. */
    PRESERVED,
    /** Its machine boots anew. */
    REBOOTING,
    /** Its machine is verified. */
    VERIFYING,
    /** Its machine did not come back from the reboot, and the Node waits until it may leave. */
    LOST,
    /** Its machine is stopped, or given back to its fleet. */
    STOPPING
  }

  /**
   * Nodes of a pool that are in one stage for one cause.
   *
   * @param cause the word of the cause that is carried out, {@value #DELIVERY} or {@value #RETURN}
   */
  public record Kind(PoolId pool, String cause, Stage stage) {}

  /**
   * A number of Nodes.
   *
   * @param oldest since when the first of them is in this stage, as recorded on objects
   */
  public record Count(int nodes, Instant oldest) {}

  private record Work(Kind kind, Instant since) {}

  private final Map<Kind, TreeMap<Instant, Integer>> work = new HashMap<>();

  /** Counts a machine that changed. */
  public void count(Optional<Member> last, Optional<Member> next) {
    Optional<Work> before = last.flatMap(NodesInWork::of);
    Optional<Work> after = next.flatMap(NodesInWork::of);
    if (!before.equals(after)) {
      before.ifPresent(each -> add(each, -1));
      after.ifPresent(each -> add(each, 1));
    }
  }

  private void add(Work each, int more) {
    TreeMap<Instant, Integer> since = work.computeIfAbsent(each.kind(), _ -> new TreeMap<>());
    CountsByKey.add(since, each.since(), more);
    if (since.isEmpty()) {
      work.remove(each.kind());
    }
  }

  /** The counts of all kinds, without zeros. */
  public Map<Kind, Count> counts() {
    Map<Kind, Count> counts = new LinkedHashMap<>();
    work.forEach((kind, since) ->
        counts.put(
            kind,
            new Count(
                since.values().stream().mapToInt(Integer::intValue).sum(), since.firstKey())));
    return counts;
  }

  private static Optional<Work> of(Member member) {
    Optional<Assignment> held = member.host().assignment();
    if (held.isEmpty() || member.isFrozen()) {
      return Optional.empty();
    }
    PoolId pool = held.get().pool();
    return member
        .disruption()
        .map(active -> disrupted(pool, member, active))
        .or(() -> undisrupted(pool, member, held.get()));
  }

  private static Optional<Work> undisrupted(PoolId pool, Member member, Assignment held) {
    Host host = member.host();
    if (host.power() == Host.Power.OFF) {
      return Optional.of(new Work(new Kind(pool, RETURN, Stage.STOPPING), host.report().since()));
    }
    if (member.isCurrent() || held.preserved().isPresent()) {
      return Optional.empty();
    }
    return Optional.of(
        host.is(HostPhase.RUNNING)
            ? new Work(new Kind(pool, DELIVERY, Stage.JOINING), host.report().since())
            : new Work(new Kind(pool, DELIVERY, Stage.BOOTING), held.at()));
  }

  /** By the cause that is carried out: one for which the Node leaves takes precedence. */
  private static Work disrupted(PoolId pool, Member member, Disruption.Active active) {
    Disruption.Cause cause =
        active.causes().stream().min(Comparator.comparing(each -> !each.leaves())).orElseThrow();
    Stage stage = stage(member, active);
    return new Work(new Kind(pool, cause.what().word(), stage), since(member, active, stage));
  }

  private static Stage stage(Member member, Disruption.Active active) {
    if (!(active instanceof Disruption.Committed committed)) {
      return Stage.CORDONED;
    }
    if (member.host().power() == Host.Power.OFF) {
      return Stage.STOPPING;
    }
    if (member.host().preserved().isPresent()) {
      return Stage.PRESERVED;
    }
    if (member.isLost()) {
      return Stage.LOST;
    }
    boolean isAsked =
        !committed.isLeaving()
            && member.node().flatMap(node -> asked(member.host(), node, committed)).isPresent();
    if (!isAsked) {
      return Stage.DRAINING;
    }
    return member.host().isRebooting() ? Stage.REBOOTING : Stage.VERIFYING;
  }

  private static Optional<Instant> asked(Host host, Node node, Disruption.Committed reboot) {
    return host.boot().filter(request -> request.isOf(node.operation(reboot))).map(BootRequest::at);
  }

  private static Instant since(Member member, Disruption.Active active, Stage stage) {
    Host host = member.host();
    return switch (stage) {
      case CORDONED -> active.since();
      case REBOOTING -> host.boot().map(BootRequest::at).orElse(active.at());
      case VERIFYING -> host.report().boot().at().orElse(active.at());
      case BOOTING, JOINING, DRAINING, PRESERVED, LOST, STOPPING -> active.at();
    };
  }
}
