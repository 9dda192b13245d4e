package io.nodepool.world.check.silence;

import io.nodepool.plan.EventDraft;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** An Event of a pool, which is brought up to date while more happens. */
final class PoolEvent {
  /** The Node that an Event of a pool is about alone. */
  private static final Pattern WITHOUT_MACHINE =
      Pattern.compile("^Node (\\S+) has no machine of the pool any more");

  /** What stands between the names of a list, and after the last. */
  private static final String LIST = ", | and \\d+ more$| and others; .*|; .*";

  /** The Nodes that an Event of a pool names, of which there may be more. */
  private static final Pattern NAMED = Pattern.compile("\\(([^)]*)\\)");

  /** What is counted of each Node, by its name. */
  private final Map<String, Set<String>> counted = new HashMap<>();

  private Set<String> names = Set.of();
  private int count;

  /** Whether each time counts, not each Node once. */
  private boolean eachTime;

  /** What kind of cause the Event says that its Nodes are disrupted for; empty if it does not. */
  private Optional<String> cause = Optional.empty();

  private Instant at = Instant.MIN;

  void update(EventDraft event, Instant now) {
    Matcher alone = WITHOUT_MACHINE.matcher(event.message());
    Matcher named = NAMED.matcher(event.message());
    if (alone.find()) {
      names = Set.of(alone.group(1));
    } else {
      names = named.find() ? Set.of(named.group(1).split(LIST)) : Set.of();
    }
    count = event.count();
    eachTime = event.message().contains(" times in all");
    cause = cause(event.message());
    at = now;
  }

  /**
   * Whether it names the Node, or counts more than is said by it otherwise. What happened to a Node
   * that it names for something else does not use up what it counts.
   */
  boolean reports(Fact fact) {
    if (names(fact)) {
      if (isForCauseOf(fact)) {
        add(fact);
      }
      return true;
    }
    boolean counts =
        eachTime
            ? counted.values().stream().mapToInt(Set::size).sum() < count
            : counted.containsKey(fact.node()) || counted.size() < count;
    return counts && add(fact);
  }

  /**
   * Whether it says that Nodes are disrupted for the cause of this one, or does not say for what.
   */
  boolean isForCauseOf(Fact fact) {
    return cause.map(fact.cause()::equals).orElse(true);
  }

  private boolean add(Fact fact) {
    return counted.computeIfAbsent(fact.node(), _ -> new HashSet<>()).add(fact.key());
  }

  private static Optional<String> cause(String message) {
    if (message.endsWith(" to be removed.")) {
      return Optional.of(Silence.REMOVAL);
    }
    if (message.contains(" for a reboot or a verification")
        || message.endsWith(" to be rebooted or verified.")) {
      return Optional.of(Silence.REBOOT);
    }
    return message.contains(" for preemption") || message.endsWith(" no longer preempted.")
        ? Optional.of(Silence.PREEMPTION)
        : Optional.empty();
  }

  /** Whether it names the Node. */
  boolean names(Fact fact) {
    return names.contains(fact.node());
  }

  /** Whether it was brought up to date since then. */
  boolean isSince(Instant from) {
    return !at.isBefore(from);
  }
}
