package io.nodepool.health;

import io.nodepool.health.catalogue.Grade;
import io.nodepool.vocabulary.SourceName;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The repairs that the active alerts about a machine ask for (decisions D30 and D75). For each way
 * of repair the strongest alert counts, since an alert that waits for an idle Node must not hide an
 * alert that does not wait. An active alert that the pool acts on goes before an alert that it
 * holds. Symptoms of other alerts ask for nothing.
 *
 * @param all what each alert asks for, the strongest first
 * @param held the alerts among these that the pool does not act on, since they are in doubt or were
 *     wrong
 */
public record NeededRepairs(List<Needed> all, Set<String> held) {
  private static final Comparator<Needed> STRONGEST =
      Comparator.comparing(Needed::state)
          .thenComparing(Needed::grade, Comparator.reverseOrder())
          .thenComparing(Needed::overridesEviction, Comparator.reverseOrder())
          .thenComparing(Needed::alert);

  /** Nothing. */
  public static final NeededRepairs NONE = new NeededRepairs(List.of(), Set.of());

  public NeededRepairs {
    all = all.stream().sorted(STRONGEST).toList();
    held =
        held.isEmpty()
            ? held
            : all.stream()
                .map(Needed::alert)
                .filter(held::contains)
                .collect(Collectors.toUnmodifiableSet());
  }

  /**
   * One alert that asks for a repair.
   *
   * @param alert its name
   * @param grade what must be done
   * @param overridesEviction whether the repair ends work even where a pool protects it
   * @param key the source that reports it, and the component
   * @param since since when the alert is active
   * @param state the state of its signals
   */
  @RecordBuilder
  public record Needed(
      String alert,
      Grade grade,
      boolean overridesEviction,
      SignalKey key,
      Instant since,
      StandingAlert.State state)
      implements NeededRepairsNeededCopy.With {
    private static Needed of(StandingAlert alert) {
      return new Needed(
          alert.name(),
          alert.alert().grade(),
          alert.alert().overridesEviction(),
          alert.signals().getFirst().key(),
          alert.since(),
          alert.state());
    }

    /** Whether a signal of it is active and not stale: only then a repair begins for it. */
    public boolean stands() {
      return state == StandingAlert.State.STANDS;
    }

    /** Whether another source reports it, which may be wrong; the operator observes the rest. */
    public boolean isOfOthers() {
      return !key.source().equals(SourceName.OPERATOR);
    }

    /** This alert, after the machine was repaired too often without success (decision D34). */
    private Needed escalated() {
      return withGrade(grade.isNow() ? Grade.OUT_NOW : Grade.OUT_WHEN_IDLE);
    }
  }

  /** The repairs that active alerts ask for, in a pool that acts on each alert. */
  public static NeededRepairs of(Health health) {
    List<Needed> all =
        health.standing().stream()
            .filter(each -> each.alert().grade().repairs())
            .filter(each -> each.alert().subject().isOfOneHost())
            .filter(each -> health.causeOf(each.name()).isEmpty())
            .map(Needed::of)
            .toList();
    return all.isEmpty() ? NONE : new NeededRepairs(all, Set.of());
  }

  /** These repairs in a pool that does not act on these alerts. */
  public NeededRepairs holding(Predicate<String> alerts) {
    return new NeededRepairs(
        all,
        all.stream().map(Needed::alert).filter(alerts).collect(Collectors.toUnmodifiableSet()));
  }

  /** These repairs without the matching ones. */
  public NeededRepairs without(Predicate<Needed> which) {
    return new NeededRepairs(all.stream().filter(which.negate()).toList(), held);
  }

  /** The alert for which the machine is booted or reset; empty if none asks for that. */
  public Optional<Needed> boot() {
    return strongest(Grade::boots);
  }

  /** The alert for which it is taken out of service; empty if none asks for that. */
  public Optional<Needed> out() {
    return strongest(Grade::takesOut);
  }

  /**
   * The alert for which a component is repaired while the machine runs; empty if none asks for
   * that.
   */
  public Optional<Needed> component() {
    return strongest(Grade.REPAIR_DPU::equals);
  }

  private Optional<Needed> strongest(Predicate<Grade> way) {
    List<Needed> asked = all.stream().filter(each -> way.test(each.grade())).toList();
    return asked.stream().filter(this::isActedOn).findFirst().or(() -> asked.stream().findFirst());
  }

  /** Whether the pool acts on it now: it is active, and the pool does not hold it. */
  public boolean isActedOn(Needed needed) {
    return needed.stands() && !isHeld(needed.alert());
  }

  /** Whether the pool holds this alert. */
  public boolean isHeld(String alert) {
    return held.contains(alert);
  }

  /**
   * The repairs that need a cordon, first the repair that takes the machine out of service. If the
   * pool acts on one of them, repairs for alerts that it holds are left out.
   */
  public List<Needed> disruptive() {
    List<Needed> both = Stream.concat(out().stream(), boot().stream()).toList();
    return both.stream().anyMatch(this::isActedOn)
        ? both.stream().filter(each -> !isHeld(each.alert())).toList()
        : both;
  }

  /**
   * The repair that decides when the Node is cordoned: a repair that the pool acts on goes before a
   * repair that takes the machine out. Empty if none needs a cordon.
   */
  public Optional<Needed> first() {
    List<Needed> all = disruptive();
    return all.stream().filter(this::isActedOn).findFirst().or(() -> all.stream().findFirst());
  }

  /** Whether the pool acts on an alert that asks that the Node be cordoned. */
  public boolean disrupts() {
    return first().filter(this::isActedOn).isPresent();
  }

  /** The repair that this alert asks for; empty if it asks for none. */
  public Optional<Needed> find(String alert) {
    return all.stream().filter(each -> each.alert().equals(alert)).findFirst();
  }

  /** Whether this alert asks for a repair, and is active. */
  public boolean stands(String alert) {
    return find(alert).filter(Needed::stands).isPresent();
  }

  /** Whether any repair is asked for. */
  public boolean isAny() {
    return !all.isEmpty();
  }

  /** These repairs if no further boot helps: the machine is taken out of service instead. */
  public NeededRepairs escalated() {
    return changed(each -> each.grade().boots() ? each.escalated() : each);
  }

  /** As {@link #escalated}, if no further repair of the component helps. */
  public NeededRepairs componentEscalated() {
    Optional<Needed> tried = component();
    return changed(each -> tried.filter(each::equals).map(Needed::escalated).orElse(each));
  }

  private NeededRepairs changed(UnaryOperator<Needed> change) {
    return new NeededRepairs(all.stream().map(change).toList(), held);
  }
}
