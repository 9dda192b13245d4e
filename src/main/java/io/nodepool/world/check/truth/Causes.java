package io.nodepool.world.check.truth;

import static io.nodepool.world.check.truth.Untruth.Kind.CAUSE;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostPhase;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.model.pool.RolloutSettings;
import io.nodepool.model.pool.RolloutState;
import io.nodepool.vocabulary.CandidateRank;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Whether a Node is disrupted for the causes that a text gives. */
final class Causes {
  private static final String LEFT_OUT = "; it is not rebooted first";

  /** How long after its decision a cordon takes effect at the latest. */
  private static final Duration LATEST_EFFECT = Duration.ofSeconds(30);

  /** When each cause of disruption holds, by its text. */
  private static final Map<String, Predicate<Moment>> HOLDS =
      Map.ofEntries(
          Map.entry("its pool has too many Nodes", Causes::isOverTarget),
          Map.entry("its pool is being deleted", Causes::isPoolEnding),
          Map.entry(
              "it did not register in time", moment -> wasOnce(moment, node -> !node.registered())),
          Map.entry(
              "its machine does not run any more",
              moment ->
                  moment.noMachine(moment.name())
                      || moment.host(moment.name(), host -> !host.is(HostPhase.RUNNING))),
          Map.entry("its pool is gone", moment -> poolOf(moment).isEmpty()),
          Map.entry("it has no machine any more", moment -> moment.noMachine(moment.name())),
          Map.entry(
              "it is preempted, because its fleet reclaims the machine",
              moment -> moment.host(moment.name(), host -> host.reclaim().isPresent())),
          Map.entry("its reboot was requested", Causes::wasRequested),
          Map.entry("its reconfiguration was requested", Causes::wasRequested),
          Map.entry("its verification was requested", Causes::wasRequested),
          Map.entry("its pool rolls out a configuration", Causes::hadPool),
          Map.entry("its machine did not come back from its reboot", Causes::hadBoot));

  private Causes() {}

  /** Checks a list of causes of the Node that a text is about. */
  static void check(String causes, Moment moment) {
    for (String cause : causes.replace(LEFT_OUT, "").split(", and ", -1)) {
      Optional<Predicate<Moment>> known = Optional.ofNullable(HOLDS.get(cause));
      Optional<CandidateRank> rank =
          Stream.of(CandidateRank.values()).filter(each -> each.text().equals(cause)).findFirst();
      moment.require(
          CAUSE, known.isPresent() || rank.isPresent(), "the cause is a registered one", cause);
      known.ifPresent(holds -> moment.require(CAUSE, holds.test(moment), cause));
      rank.ifPresent(each -> moment.require(CAUSE, holds(each, moment), each.text()));
    }
  }

  private static boolean isPoolEnding(Moment moment) {
    return poolOf(moment).filter(pool -> !pool.isTerminating()).isEmpty();
  }

  private static boolean wasRequested(Moment moment) {
    return wasOnce(moment, node -> !node.metadata().label(NodeLabels.PENDING_STATE).isEmpty());
  }

  private static boolean hadBoot(Moment moment) {
    return moment
        .chronicle()
        .host(moment.name())
        .ever(Instant.MIN, host -> host.filter(h -> h.boot().isPresent()).isPresent());
  }

  /** Checks a cause of one of the Nodes of the pool that a text is about; none if none is named. */
  static void check(String cause, List<String> names, Moment moment) {
    Optional<Predicate<Moment>> known = Optional.ofNullable(HOLDS.get(cause));
    moment.require(CAUSE, known.isPresent(), "the cause is a registered one", cause);
    known.ifPresent(each ->
        moment.require(
            CAUSE,
            names.isEmpty()
                || names.stream().flatMap(name -> moment.ofNode(name).stream()).anyMatch(each),
            cause));
  }

  private static boolean holds(CandidateRank rank, Moment moment) {
    String name = moment.name();
    return switch (rank) {
      case NOT_REGISTERED -> wasOnce(moment, node -> !node.registered());
      case CLIENT_REQUEST -> wasOnce(moment, Node::isRemovalRequested);
      case AUTOSCALER -> wasOnce(moment, node -> node.autoscalerMark().isPresent());
      case UNHEALTHY ->
          wasOnce(moment, node -> !node.ready())
              || moment.host(name, host -> !host.is(HostPhase.RUNNING));
      case CORDONED, IDLE, OUT_OF_SERVICE, AUTOSCALER_CANDIDATE, INTERRUPTIBLE, ACTIVE ->
          isOverTarget(moment);
    };
  }

  /** Whether the Node of this object was such a one at any time. */
  private static boolean wasOnce(Moment moment, Predicate<Node> is) {
    return moment
        .chronicle()
        .node(moment.name())
        .ever(
            Instant.MIN,
            node -> node.filter(n -> n.uid().equals(moment.text().uid())).filter(is).isPresent());
  }

  /** Whether the Node belonged to a pool when its operator decided: it may be gone since. */
  private static boolean hadPool(Moment moment) {
    return moment.chronicle().node(moment.name()).since(moment.since()).stream()
        .flatMap(Optional::stream)
        .anyMatch(node ->
            moment
                .chronicle()
                .pool(node.metadata().label(NodeLabels.NODE_POOL))
                .ever(
                    moment.since(),
                    pool ->
                        pool.filter(each -> each.id().uid().equals(node.poolUid())).isPresent()));
  }

  /** The pool that the Node belongs to, as it was last. */
  private static Optional<Pool> poolOf(Moment moment) {
    Optional<Node> node = moment.chronicle().node(moment.name()).latest();
    return node.flatMap(
            each -> moment.chronicle().pool(each.metadata().label(NodeLabels.NODE_POOL)).latest())
        .filter(pool -> node.filter(each -> each.poolUid().equals(pool.id().uid())).isPresent());
  }

  /** Whether the Node's pool held more machines than its target when the Node was chosen. */
  private static boolean isOverTarget(Moment moment) {
    Instant from = chosen(moment, moment.name());
    return poolOf(moment)
        .map(pool -> moment.held(pool.id().uid(), from).most() > lowestTarget(pool, from, moment))
        .orElse(true);
  }

  /** Whether the pool of the Node may interrupt work on Nodes that leave. */
  static boolean mayInterrupt(Moment moment) {
    return poolOf(moment)
        .filter(pool -> pool.spec().scaleDownStrategy() == PoolSpec.ScaleDownStrategy.IDLE_ONLY)
        .isEmpty();
  }

  /** The lowest target of the pool since. */
  private static int lowestTarget(Pool pool, Instant from, Moment moment) {
    return moment.chronicle().pool(pool.id().name()).since(from).stream()
        .flatMap(Optional::stream)
        .mapToInt(each -> each.spec().target())
        .min()
        .orElse(0);
  }

  /**
   * Since when a Node may have been chosen that was cordoned when the text was decided on or later:
   * the text may be written late, when the Node is uncordoned again.
   */
  static Instant chosen(Moment moment, String name) {
    return moment.node(name, Node::cordoned) ? lastChosen(moment, name) : moment.since();
  }

  /** Since when a Node may have been chosen that was cordoned at any time. */
  static Instant lastChosen(Moment moment, String name) {
    Instant decided =
        moment
            .chronicle()
            .node(name)
            .last(node -> node.filter(Node::cordoned).isPresent())
            .map(at -> at.minus(LATEST_EFFECT))
            .orElse(moment.since());
    return decided.isBefore(moment.since()) ? decided : moment.since();
  }

  /** Checks why a Node of a pool is not disrupted any more. */
  static void stays(String why, String pool, Moment moment) {
    moment.require(
        CAUSE,
        isWhy(why, pool, moment),
        "it stays for that" + circumstance(why, moment),
        "it is not so");
  }

  /** What is the matter with a Node that stays, of which the text says something else. */
  private static String circumstance(String why, Moment moment) {
    String name = moment.name();
    if (moment.noMachine(name)) {
      return ", without its machine: " + why;
    }
    boolean worksNow =
        moment.busy(name)
            && moment.chronicle().node(name).latest().filter(Node::registered).isPresent();
    if (!worksNow && moment.node(name, node -> !node.registered())) {
      return ", though it is not registered: " + why;
    }
    if (moment.busy(name)) {
      return ", with work: " + why;
    }
    if (isAnotherLost(moment)) {
      return ", while another one is lost: " + why;
    }
    return isAnotherAsked(moment) ? ", while another one is asked to reboot: " + why : "";
  }

  /**
   * Whether a client asked for a reboot of another Node of the pool, which its removal would save.
   */
  private static boolean isAnotherAsked(Moment moment) {
    Optional<String> pool = moment.chronicle().node(moment.name()).latest().map(Node::poolUid);
    return moment.chronicle().hostNames().stream()
        .filter(name -> !name.equals(moment.name()))
        .anyMatch(name ->
            moment.node(
                name,
                node ->
                    pool.filter(node.poolUid()::equals).isPresent()
                        && !node.metadata().label(NodeLabels.PENDING_STATE).isEmpty()));
  }

  /** Whether the pool lost the machine of another Node since this one was chosen, or will. */
  private static boolean isAnotherLost(Moment moment) {
    Instant from = chosen(moment, moment.name());
    Optional<String> pool = moment.chronicle().node(moment.name()).latest().map(Node::poolUid);
    Predicate<Optional<Host>> held =
        host -> host.filter(each -> pool.filter(each::isHeldBy).isPresent()).isPresent();
    return moment.chronicle().hostNames().stream()
        .filter(name -> !name.equals(moment.name()))
        .map(moment.chronicle()::host)
        .filter(host -> host.ever(from, held))
        .anyMatch(host ->
            host.ever(from, held.negate())
                || host.ever(from, each -> each.filter(h -> h.reclaim().isPresent()).isPresent()));
  }

  private static boolean isWhy(String why, String pool, Moment moment) {
    String name = moment.name();
    return switch (why) {
      case "it got tenant work", "it got tenant work that only a live list shows" ->
          moment.busy(name);
      case "its machine is gone, and it has work" -> moment.busy(name) && moment.noMachine(name);
      case "its fleet withdrew the notice of preemption" ->
          moment.host(name, host -> host.reclaim().isEmpty());
      case "its request was taken back" -> moment.node(name, node -> !carriesItsRequest(node));
      case "its pool does not hold its machine any more" ->
          moment.node(name, node -> isHeldByNoneOf(name, node.poolUid(), moment));
      case "the pool needs it again" -> is(pool, moment, each -> needs(each, name, moment));
      case "its pool is being deleted" ->
          moment
              .chronicle()
              .pool(pool)
              .ever(moment.since(), seen -> seen.filter(p -> !p.isTerminating()).isEmpty());
      case "its rollout is stopped" -> moment.chronicle().mayBeStopped(pool, moment.since());
      case "its rollout was stopped, or no longer evicts" ->
          moment.chronicle().mayBeStopped(pool, moment.since())
              || is(pool, moment, each -> !each.spec().configuration().rollout().evict())
              || is(pool, moment, each -> !each.status().configuration().rollout().evicts());
      case "its rollout is paused" -> moment.chronicle().mayBePaused(pool);
      case "no rollout is under way" ->
          !moment.chronicle().wasStarted(pool)
              || moment.chronicle().wasLost(pool)
              || is(pool, moment, each -> Chronicle.isIn(RolloutState.Phase.NONE, each));
      case "the settings of its rollout are invalid" ->
          is(pool, moment, p -> p.spec().configuration().rollout().problem().isPresent());
      case "the canary of its rollout has enough nodes" ->
          is(pool, moment, each -> each.spec().configuration().rollout().canary() > 0);
      case "too many nodes are unavailable" ->
          is(pool, moment, each -> isBeyondLimit(each, moment));
      case "it is up to date" ->
          isOtherwise(pool, moment)
              || is(pool, moment, each -> hasBooted(name, each.status().nodeProfile(), moment));
      case "its rollout changed" -> isOtherwise(pool, moment);
      default ->
          why.startsWith("the pool is paused")
              && is(pool, moment, each -> each.spec().pause().isSet());
    };
  }

  /** Whether the Node is still asked for the state that it was to pass through. */
  private static boolean carriesItsRequest(Node node) {
    String state = node.metadata().label(NodeLabels.PENDING_STATE);
    return !state.isEmpty()
        && node.disruption().flatMap(Disruption::active).stream()
            .flatMap(active -> active.causes().stream())
            .anyMatch(cause -> cause.what().reference().startsWith(state));
  }

  private static boolean is(String pool, Moment moment, Predicate<Pool> is) {
    return moment.chronicle().pool(pool).ever(moment.since(), seen -> seen.filter(is).isPresent());
  }

  private static boolean isHeldByNoneOf(String machine, String poolUid, Moment moment) {
    return moment
        .chronicle()
        .host(machine)
        .ever(moment.since(), host -> host.filter(h -> h.isHeldBy(poolUid)).isEmpty());
  }

  private static boolean hasBooted(String machine, String configuration, Moment moment) {
    return moment.host(machine, host -> host.report().bootedConfiguration().equals(configuration));
  }

  /** Whether the pool has not too many Nodes with this one, beside those that may leave first. */
  private static boolean needs(Pool pool, String name, Moment moment) {
    BiPredicate<Host, Optional<Node>> stays =
        (host, node) ->
            !host.id().name().equals(name)
                && host.isHeldBy(pool.id().uid())
                && !Chronicle.isUnavailable(host, node)
                && node.filter(n -> !n.isRemovalRequested() && n.autoscalerMark().isEmpty())
                    .isPresent();
    return moment.machines(stays, stays).least() < pool.spec().target();
  }

  private static boolean isBeyondLimit(Pool pool, Moment moment) {
    RolloutSettings.Limit limit = pool.spec().configuration().rollout().maxUnavailable();
    BiPredicate<Host, Optional<Node>> held = (host, _) -> host.isHeldBy(pool.id().uid());
    BiPredicate<Host, Optional<Node>> registered =
        held.and((_, node) -> node.filter(Node::registered).isPresent());
    BiPredicate<Host, Optional<Node>> unavailable = held.and(Chronicle::isUnavailable);
    int assigning = Math.max(0, pool.spec().target() - moment.machines(held, held).least());
    return Stream.<Function<Host, String>>of(
            host -> host.id().name(), host -> host.machine().rack())
        .anyMatch(unit ->
            moment.units(unit, unavailable, unavailable).most() + assigning
                > limit.of(moment.units(unit, registered, registered).least()));
  }

  /** Whether what a rollout depends on changed since the Node was chosen for it. */
  private static boolean isOtherwise(String pool, Moment moment) {
    Instant from = chosen(moment, moment.name());
    return moment.chronicle().offer().since(from).size() > 1
        || moment.chronicle().pool(pool).since(from).stream()
                .flatMap(Optional::stream)
                .map(p -> List.of(p.status().nodeProfile(), p.spec().configuration()))
                .distinct()
                .count()
            > 1;
  }
}
