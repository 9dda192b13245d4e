package io.nodepool.health;

import io.nodepool.health.catalogue.Grade;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * What the alerts that stand about a machine ask to be done about it (decisions D30 and D75): for
 * each way of repair the strongest alert, since one that waits for an idle Node must not hide
 * another one that does not. Symptoms of other alerts ask for nothing.
 *
 * @param boot the one for which the machine is booted or reset; empty if none asks for that
 * @param out the one for which it is taken out of service; empty if none asks for that
 * @param component the one for which a component is repaired while the machine runs; empty if none
 *     asks for that
 */
public record NeededRepairs(
    Optional<Needed> boot, Optional<Needed> out, Optional<Needed> component) {
  /** Nothing. */
  public static final NeededRepairs NONE =
      new NeededRepairs(Optional.empty(), Optional.empty(), Optional.empty());

  /**
   * One alert that asks for a repair.
   *
   * @param alert its name
   * @param grade what is to be done
   * @param overridesEviction whether that ends work even where a pool protects it
   * @param key who reports it, about which component
   * @param since since when the alert is
   * @param ending whether all its signals are off, though not for <i>clear</i> yet
   */
  public record Needed(
      String alert,
      Grade grade,
      boolean overridesEviction,
      SignalKey key,
      Instant since,
      boolean ending) {
    private static Needed of(StandingAlert alert) {
      return new Needed(
          alert.name(),
          alert.alert().grade(),
          alert.alert().overridesEviction(),
          alert.signals().getFirst().key(),
          alert.since(),
          alert.ending());
    }

    /** Whether others report it, who may be wrong; the operator itself sees the rest. */
    public boolean isOfOthers() {
      return !key.source().equals(SignalKey.OPERATOR);
    }

    /** The same alert about a machine that was repaired too often in vain (decision D34). */
    private Needed escalated() {
      return new Needed(
          alert,
          grade.isNow() ? Grade.OUT_NOW : Grade.OUT_WHEN_IDLE,
          overridesEviction,
          key,
          since,
          ending);
    }
  }

  /** What is asked by what stands about a machine. */
  public static NeededRepairs of(Health health) {
    NeededRepairs needed =
        new NeededRepairs(
            strongest(health, Grade::boots),
            strongest(health, Grade::takesOut),
            strongest(health, Grade.REPAIR_DPU::equals));
    return needed.equals(NONE) ? NONE : needed;
  }

  private static Optional<Needed> strongest(Health health, Predicate<Grade> way) {
    return health.standing().stream()
        .filter(each -> way.test(each.alert().grade()))
        .filter(each -> each.alert().subject().isOfOneHost())
        .filter(each -> health.symptoms().find(each.name()).isEmpty())
        .min(
            Comparator.comparing(StandingAlert::ending)
                .thenComparing(each -> each.alert().grade(), Comparator.reverseOrder())
                .thenComparing(StandingAlert::name))
        .map(Needed::of);
  }

  /** Everything that is asked: what takes the machine out of service first. */
  public List<Needed> all() {
    return Stream.of(out, boot, component).flatMap(Optional::stream).toList();
  }

  /** What asks that the Node be cordoned: what takes the machine out of service first. */
  public List<Needed> disruptive() {
    return Stream.concat(out.stream(), boot.stream()).toList();
  }

  /** What decides when the Node is cordoned; empty if nothing asks for that. */
  public Optional<Needed> first() {
    return out.or(() -> boot);
  }

  /** What this alert asks; empty if it asks nothing. */
  public Optional<Needed> find(String alert) {
    return all().stream().filter(each -> each.alert().equals(alert)).findFirst();
  }

  /** Whether this alert asks for something, and its signals are not off. */
  public boolean stands(String alert) {
    return find(alert).filter(each -> !each.ending()).isPresent();
  }

  /** Whether anything is asked. */
  public boolean isAny() {
    return boot.isPresent() || out.isPresent() || component.isPresent();
  }

  /** The same, if no further boot helps: the machine is taken out of service instead. */
  public NeededRepairs escalated() {
    return new NeededRepairs(
        Optional.empty(), out.or(() -> boot.map(Needed::escalated)), component);
  }

  /** The same, if no further repair of the component helps, likewise. */
  public NeededRepairs componentEscalated() {
    return new NeededRepairs(
        boot, out.or(() -> component.map(Needed::escalated)), Optional.empty());
  }
}
