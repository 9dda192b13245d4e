package io.nodepool.fleet;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.IntFunction;

/**
 * The record of a Host's failed deliveries to pools.
 *
 * @param failure the consecutive failures since its Node last registered; empty if there are none
 * @param setAside why the Host must not be assigned; empty text if it may be assigned. A person may
 *     set and clear it too
 * @param released when a person last cleared {@code setAside}: earlier attempts no longer count;
 *     empty if it is not known
 */
public record DeliveryHistory(
    Optional<Failure> failure, String setAside, Optional<Instant> released) {
  /** The record of a Host that no person released. */
  public DeliveryHistory(Optional<Failure> failure, String setAside) {
    this(failure, setAside, Optional.empty());
  }

  /** No failures. */
  public static final DeliveryHistory CLEAN = new DeliveryHistory(Optional.empty(), "");

  /**
   * Consecutive failed deliveries.
   *
   * @param count their number, at least one
   * @param at when the last delivery failed
   * @param cause why the last delivery failed, as text
   * @param notBefore when the Host may be assigned again
   * @param suspect the configuration that may be to blame for all failures; empty if the machine
   *     is, or if they were in several configurations or pools
   */
  public record Failure(
      int count, Instant at, String cause, Instant notBefore, Optional<Suspect> suspect) {
    /** The text of a Host that is set aside because of the number of failures. */
    public String inARow() {
      return "%s to pools failed in a row; the last time %s"
          .formatted(count == 1 ? "1 delivery" : count + " deliveries", cause);
    }
  }

  /**
   * The configuration that the machine had to boot when the delivery failed.
   *
   * @param poolUid the pool that held the machine
   */
  public record Suspect(String poolUid, String configuration) {}

  /**
   * This history after one more failure.
   *
   * @param suspect the configuration in which it failed; empty if the machine had booted it
   * @param backOff how long the Host is not assigned, by the number of its failures
   */
  public DeliveryHistory failed(
      String cause, Optional<Suspect> suspect, Instant now, IntFunction<Duration> backOff) {
    int count = failure.map(Failure::count).orElse(0) + 1;
    boolean same = failure.map(Failure::suspect).orElse(suspect).equals(suspect);
    Failure next =
        new Failure(
            count, now, cause, now.plus(backOff.apply(count)), same ? suspect : Optional.empty());
    return new DeliveryHistory(Optional.of(next), setAside, released);
  }

  /**
   * This history of a Host that is set aside for this reason. An existing reason stays; a person
   * may have set it.
   */
  public DeliveryHistory setAsideFor(String why) {
    return isSetAside() ? this : new DeliveryHistory(failure, why, released);
  }

  /** How far back attempts on the machine count: to its last release, at most this long. */
  public Duration counted(Duration longest, Instant now) {
    return released
        .map(at -> Duration.between(at, now))
        .filter(since -> since.compareTo(longest) < 0)
        .orElse(longest);
  }

  /** Whether the Host must not be assigned until a person clears it. */
  public boolean isSetAside() {
    return !setAside.isEmpty();
  }

  /**
   * The configuration that may be to blame for all recorded failures; also empty if the Host was
   * set aside with a text that the operator did not write.
   */
  public Optional<Suspect> suspect() {
    return failure
        .filter(last ->
            !isSetAside() || setAside.equals(last.cause()) || setAside.equals(last.inARow()))
        .flatMap(Failure::suspect);
  }
}
