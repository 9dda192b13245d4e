package io.nodepool.world.check.truth;

import static io.nodepool.world.check.text.Untruth.Kind.CAUSE;
import static io.nodepool.world.check.text.Untruth.Kind.STATE;

import io.nodepool.fleet.HostPhase;
import io.nodepool.fleet.PoolId;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.Pool;
import io.nodepool.vocabulary.CandidateRank;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.world.check.text.TextForm;
import io.nodepool.world.check.truth.Wording.Check;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Whether a Node is disrupted, or is not any more, for the causes that a text gives. */
public final class Causes {
  /** The texts that name one or several causes of disruption, each with its check. */
  public interface Texts {
    /** When a Node is disrupted for a cause, by the text of the cause. */
    Map<String, Predicate<Moment>> holds();

    /**
     * When something else than work would keep a Node that is to leave, by the form of its text:
     * {@code "It stays if " + text}.
     */
    default Map<String, BiPredicate<TextForm.Statement, Moment>> keeps() {
      return Map.of();
    }

    /** When a Node of the pool with a name is not disrupted any more, by the text of the reason. */
    default Map<String, BiPredicate<String, Moment>> ends() {
      return Map.of();
    }

    /** The texts of Events that are only emitted for these causes. */
    default Map<EventReason, List<Wording>> events() {
      return Map.of();
    }
  }

  private static final String LEFT_OUT = "; it is not rebooted first";

  /** How long after its decision a cordon takes effect at the latest. */
  private static final Duration LATEST_EFFECT = Duration.ofSeconds(30);

  private final Map<String, Predicate<Moment>> holds;
  private final Map<String, BiPredicate<TextForm.Statement, Moment>> keeps;
  private final Map<String, BiPredicate<String, Moment>> ends;
  private final Map<EventReason, List<Wording>> events;

  /** The causes that have these texts; none may have a text that another one has. */
  Causes(List<? extends Texts> all) {
    this.holds = joined(all, Texts::holds);
    this.keeps = joined(all, Texts::keeps);
    this.ends = joined(all, Texts::ends);
    this.events = joined(all, Texts::events);
  }

  private static <K, V> Map<K, V> joined(
      List<? extends Texts> all, Function<Texts, Map<K, V>> part) {
    return all.stream()
        .flatMap(each -> part.apply(each).entrySet().stream())
        .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  /** The texts of an Event that is only emitted for some causes; none if it is another one. */
  List<Wording> events(EventReason reason) {
    return events.getOrDefault(reason, List.of());
  }

  /** The Node that the text is about has the causes that it gives. */
  static final Check WHY = (read, moment) -> check(read.word("why"), moment);

  /** Checks a list of causes of the Node that a text is about. */
  static void check(String causes, Moment moment) {
    for (String cause : causes.replace(LEFT_OUT, "").split(", and ", -1)) {
      Optional<Predicate<Moment>> known = Optional.ofNullable(moment.causes().holds.get(cause));
      Optional<CandidateRank> rank =
          Stream.of(CandidateRank.values()).filter(each -> each.text().equals(cause)).findFirst();
      moment.require(
          CAUSE, known.isPresent() || rank.isPresent(), "the cause is a registered one", cause);
      known.ifPresent(holds -> moment.require(CAUSE, holds.test(moment), cause));
      rank.ifPresent(each -> moment.require(CAUSE, holds(each, moment), each.text()));
    }
  }

  /** Checks a cause of one of the Nodes of the pool that a text is about; none if none is named. */
  static void check(String cause, List<String> names, Moment moment) {
    Optional<Predicate<Moment>> known = Optional.ofNullable(moment.causes().holds.get(cause));
    moment.require(CAUSE, known.isPresent(), "the cause is a registered one", cause);
    moment.require(
        CAUSE,
        names.isEmpty() || names.stream().anyMatch(name -> hold(cause, name, moment, Instant.MIN)),
        cause);
  }

  /**
   * Whether this cause was one of the Node of this name at any time since; one that is gone was
   * named too.
   */
  static boolean hold(String cause, String name, Moment moment, Instant from) {
    return Optional.ofNullable(moment.causes().holds.get(cause))
        .filter(holds -> moment.ofNodes(name, from).anyMatch(holds))
        .isPresent();
  }

  private static boolean holds(CandidateRank rank, Moment moment) {
    String name = moment.name();
    return switch (rank) {
      case NOT_REGISTERED -> wasOnce(moment, node -> !node.registered());
      case CLIENT_REQUEST -> wasOnce(moment, Node::isRemovalRequested);
      case AUTOSCALER -> wasOnce(moment, node -> node.autoscalerTaint().isPresent());
      case UNHEALTHY ->
          wasOnce(moment, node -> !node.ready())
              || moment.host(name, host -> !host.is(HostPhase.RUNNING));
      case CORDONED, IDLE, OUT_OF_SERVICE, AUTOSCALER_CANDIDATE, INTERRUPTIBLE, ACTIVE ->
          isOverTarget(moment);
    };
  }

  /** Whether the Node of this object was such a one at any time. */
  public static boolean wasOnce(Moment moment, Predicate<Node> is) {
    return moment
        .node()
        .ever(
            Instant.MIN,
            node -> node.filter(n -> n.uid().equals(moment.text().uid())).filter(is).isPresent());
  }

  /** The pool that the Node belongs to, as it was last. */
  public static Optional<Pool> poolOf(Moment moment) {
    Optional<Node> node = moment.node().latest();
    return node.flatMap(
            each -> moment.chronicle().pool(each.metadata().label(NodeLabels.NODE_POOL)).latest())
        .filter(pool -> node.filter(each -> each.poolUid().equals(pool.id().uid())).isPresent());
  }

  /** Whether the Node's pool held more machines than its target when the Node was chosen. */
  public static boolean isOverTarget(Moment moment) {
    Instant from = chosen(moment, moment.name());
    return poolOf(moment).map(pool -> isOverTarget(pool.id(), from, moment)).orElse(true);
  }

  /** Whether a pool held more machines than its target at any time since. */
  static boolean isOverTarget(PoolId pool, Instant from, Moment moment) {
    return moment.held(pool.uid(), from).most() > lowestTarget(pool, from, moment);
  }

  /** Checks what would keep a Node that is to leave: {@code "It stays if " + text}. */
  static void keeps(String text, Moment moment) {
    if (text.equals("it gets tenant work before it is drained")) {
      moment.require(
          STATE,
          moment.idle(moment.name()),
          "it stays if it gets tenant work",
          "it has work and leaves");
    } else {
      moment.require(
          CAUSE,
          moment.causes().keeps.entrySet().stream()
              .anyMatch(each ->
                  TextForm.of(each.getKey())
                      .read(text)
                      .filter(read -> each.getValue().test(read, moment))
                      .isPresent()),
          "this would keep it",
          text);
    }
  }

  /** The lowest target of the pool since. */
  private static int lowestTarget(PoolId pool, Instant from, Moment moment) {
    return moment
        .chronicle()
        .pool(pool.name())
        .all(from)
        .mapToInt(each -> each.spec().target())
        .min()
        .orElse(0);
  }

  /**
   * Since when a Node may have been chosen that was cordoned when the text was decided on or later:
   * the text may be written late, when the Node is uncordoned again.
   */
  public static Instant chosen(Moment moment, String name) {
    return moment.node(name, Node::cordoned)
        ? lastChosen(moment, name, Node::cordoned)
        : moment.since();
  }

  /** Since when a Node may have been chosen that was such a cordoned one at any time. */
  static Instant lastChosen(Moment moment, String name, Predicate<Node> is) {
    Instant decided =
        moment
            .chronicle()
            .node(name)
            .lastWas(is)
            .map(at -> at.minus(LATEST_EFFECT))
            .orElse(moment.since());
    return decided.isBefore(moment.since()) ? decided : moment.since();
  }

  /** Checks why a Node of a pool is not disrupted any more. */
  static void stays(String why, String pool, Moment moment) {
    moment.require(CAUSE, isWhy(why, pool, moment), "it stays for that", "it is not so");
  }

  private static boolean isWhy(String why, String pool, Moment moment) {
    String name = moment.name();
    return switch (why) {
      case "it got tenant work", "it got tenant work that only a live list shows" ->
          moment.busy(name);
      case "its machine is gone, and it has work" -> moment.busy(name) && moment.noMachine(name);
      case "its pool does not hold its machine any more" ->
          moment.node(node -> moment.noHost(name, host -> host.isHeldBy(node.poolUid())));
      default ->
          Optional.ofNullable(moment.causes().ends.get(why))
              .map(ends -> ends.test(pool, moment))
              .orElse(
                  why.startsWith("the pool is paused")
                      && is(pool, moment, each -> each.spec().pause().isSet()));
    };
  }

  /** Whether the pool of this name was such a one. */
  public static boolean is(String pool, Moment moment, Predicate<Pool> is) {
    return moment.chronicle().pool(pool).was(moment.since(), is);
  }
}
