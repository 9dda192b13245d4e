package io.nodepool.world.check.consent;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostPhase;
import io.nodepool.fleet.Reclaim;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.plan.PlanSettings;
import io.nodepool.world.check.truth.Chronicle;
import io.nodepool.world.check.truth.Track;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Why Nodes may leave their pools, and which of these reasons allow to interrupt their work: by
 * what users wrote on pools, what fleets announced, and what became of machines. A fact counts if
 * it was the case at any time since the oldest moment that the operator may have taken for the
 * present.
 */
public final class LeavingNodes {
  /** How long after its decision a cordon takes effect at the latest. */
  private static final Duration LATEST_EFFECT = Duration.ofSeconds(30);

  private final Chronicle chronicle;
  private final PlanSettings.PreemptionSettings timeline = PlanSettings.DEFAULTS.preemption();

  public LeavingNodes(Chronicle chronicle) {
    this.chronicle = chronicle;
  }

  /** What allows to interrupt the work on a Node so that it leaves. */
  public List<Consent> consents(Node node, Instant since, Instant calm) {
    List<Consent> consents = new ArrayList<>();
    notices(node, since)
        .filter(notice -> isWarned(notice, chronicle.now()))
        .map(notice -> new Consent(Consent.Ground.PREEMPTION, force(notice)))
        .forEach(consents::add);
    if (isOrphan(node, since)) {
      consents.add(Consent.of(Consent.Ground.ORPHANED));
    }
    if (host(node, since, host -> isAbandoned(node, host))) {
      consents.add(Consent.of(Consent.Ground.ABANDONED));
    }
    if (host(node, since, host -> isNotBack(node, host))) {
      consents.add(Consent.of(Consent.Ground.NOT_BACK));
    }
    boolean alsoBusy =
        pool(node, since, pool -> strategy(pool) == PoolSpec.ScaleDownStrategy.PREFER_IDLE);
    if (alsoBusy && isDemanded(node, since, calm)) {
      consents.add(Consent.of(Consent.Ground.STRATEGY));
    }
    return consents;
  }

  /** The notices of preemption that stood. */
  private Stream<Reclaim> notices(Node node, Instant since) {
    return chronicle.host(node.name()).since(since).stream()
        .flatMap(Optional::stream)
        .filter(node::isOf)
        .flatMap(host -> host.preemption().stream());
  }

  /** The earliest end of the respect for budgets by a notice that stood since; else the latest. */
  public Instant forceAt(Node node, Instant since) {
    return notices(node, since).map(this::force).min(Instant::compareTo).orElse(Instant.MAX);
  }

  private Instant stop(Reclaim notice) {
    Instant longest = notice.announcedAt().plus(timeline.window());
    return notice.reclaimAt().isBefore(longest) ? notice.reclaimAt() : longest;
  }

  private Instant force(Reclaim notice) {
    Instant force = stop(notice).minus(timeline.forced());
    return notice
        .announcedAt()
        .plus(Consent.shortest(Duration.between(notice.announcedAt(), force)));
  }

  /** Whether the warning is over; a fleet that gives less time shortens it. */
  private boolean isWarned(Reclaim notice, Instant now) {
    Duration given = Duration.between(notice.announcedAt(), stop(notice).minus(timeline.forced()));
    Duration warning = given.compareTo(timeline.warning()) < 0 ? given : timeline.warning();
    return !now.isBefore(notice.announcedAt().plus(Consent.shortest(warning)));
  }

  private boolean isOrphan(Node node, Instant since) {
    return host(
        node,
        since,
        host ->
            host.assignment()
                .map(held -> held.pool())
                .filter(held ->
                    chronicle
                        .pool(held.name())
                        .ever(since, pool -> pool.filter(p -> p.id().equals(held)).isEmpty()))
                .isPresent());
  }

  /** Whether the machine is in another tenancy than that of the Node, which it ended. */
  private static boolean isAbandoned(Node node, Host host) {
    return host.id().uid().equals(node.hostUid()) && !node.isOf(host);
  }

  /** Whether the machine was asked to boot, and is not verified and Ready since. */
  private static boolean isNotBack(Node node, Host host) {
    return node.isOf(host)
        && host.boot()
            .filter(asked -> asked.operation().startsWith("reboot/%s/".formatted(node.uid())))
            .filter(asked ->
                host.is(HostPhase.FAILED)
                    || !node.ready()
                    || host.report()
                        .boot()
                        .verification()
                        .filter(
                            each -> each.answers(host.report().bootId(), asked) && each.passed())
                        .isEmpty())
            .isPresent();
  }

  private static PoolSpec.ScaleDownStrategy strategy(Pool pool) {
    return pool.spec().scaleDownStrategy();
  }

  private boolean host(Node node, Instant since, Predicate<Host> is) {
    return chronicle.host(node.name()).ever(since, host -> host.filter(is).isPresent());
  }

  /** Whether the pool that holds the machine of a Node was such a one. */
  private boolean pool(Node node, Instant since, Predicate<Pool> is) {
    return host(
        node,
        since,
        host ->
            host.assignment()
                .map(held -> held.pool())
                .filter(held ->
                    chronicle
                        .pool(held.name())
                        .ever(
                            since,
                            pool -> pool.filter(p -> p.id().equals(held)).filter(is).isPresent()))
                .isPresent());
  }

  /**
   * Whether anything demanded that the Node leaves its pool. What a pool demands ends when the plan
   * of the pool takes it back, which needs a write of its own.
   */
  public boolean isDemanded(Node node, Instant since, Instant calm) {
    Track<Optional<Node>> track = chronicle.node(node.name());
    Instant marked =
        earlier(
            since,
            track
                .last(each -> each.filter(Node::cordoned).isPresent())
                .orElse(since)
                .minus(LATEST_EFFECT));
    Instant reaction = chronicle.now().minus(Consent.REACTION);
    Instant demanded = calm.isAfter(reaction) ? marked : earlier(since, reaction);
    return chronicle.host(node.name()).ever(since, host -> host.filter(node::isOf).isEmpty())
        || isOrphan(node, since)
        || notices(node, since).anyMatch(notice -> isWarned(notice, chronicle.now()))
        || host(node, since, host -> isNotBack(node, host))
        || host(node, marked, host -> !host.is(HostPhase.RUNNING))
        || track.ever(
            marked,
            each -> each.filter(n -> n.uid().equals(node.uid()) && !n.registered()).isPresent())
        || pool(node, demanded, pool -> pool.isTerminating() || isTooLarge(pool, demanded));
  }

  private static Instant earlier(Instant one, Instant other) {
    return one.isBefore(other) ? one : other;
  }

  /** Whether the pool held more machines than its target. */
  private boolean isTooLarge(Pool pool, Instant since) {
    String uid = pool.id().uid();
    long held =
        chronicle.memberships().stream()
            .filter(machine -> machine.ever(since, each -> each.poolUid().equals(uid)))
            .count();
    return held > pool.spec().target();
  }
}
