package io.nodepool.fleet;

import io.nodepool.vocabulary.BootKind;
import io.nodepool.vocabulary.Word;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The operator's request that a machine leave its boot {@link #from}. A fleet that reports this
 * boot boots the machine; once it reports another boot, the request is fulfilled. So two requests
 * for the same boot cause one power cycle, and a late duplicate causes none.
 *
 * @param from id of the boot that the machine must leave; empty text if its fleet reported none:
 *     then any boot that it reports fulfils the request
 * @param attempt the number of this attempt for the same operation, from 1; a higher one for the
 *     same boot asks the fleet to try again
 * @param operation the operation that the boot belongs to; all its attempts have the same one
 * @param at when it was requested
 * @param configuration id of the configuration that the machine had to boot; empty text if it boots
 *     none, or if it is not known
 * @param history the attempts before this one, oldest first, at most {@link #REMEMBERED}; attempts
 *     of repairs stay longest
 * @param alert the alert for which the machine is repaired or verified; empty text if there is no
 *     alert
 */
@RecordBuilder
public record BootRequest(
    String from,
    int attempt,
    BootKind kind,
    String operation,
    Instant at,
    String configuration,
    List<PastAttempt> history,
    String alert)
    implements BootRequestCopy.With {
  /** The number of earlier attempts that stay on a Host. */
  public static final int REMEMBERED = 10;

  /** The value of {@link #from} in a request that was taken back; no fleet reports such a boot. */
  public static final String TAKEN_BACK = "taken-back";

  /** The result of an attempt. */
  public enum Outcome implements Word {
    /** The machine booted and passed its verification. */
    VERIFIED,
    /** The machine did not reach another boot in time, or did not answer its verification. */
    NOT_BOOTED,
    /** The machine booted, and did not pass its verification in time. */
    NOT_VERIFIED
  }

  /** An attempt that is over. */
  public record PastAttempt(
      String from,
      int attempt,
      BootKind kind,
      Instant at,
      String configuration,
      Outcome outcome,
      String alert) {
    private boolean isRepair() {
      return kind.boots() && !alert.isEmpty();
    }
  }

  public BootRequest {
    history = remembered(history);
  }

  /** The first attempt of an operation on a machine. */
  public static BootRequest first(
      String from, BootKind kind, String operation, Instant at, Optional<BootRequest> last) {
    return new BootRequest(
        from,
        1,
        kind,
        operation,
        at,
        "",
        last.map(each -> each.past(Outcome.VERIFIED)).orElse(List.of()),
        "");
  }

  /**
   * This request, taken back: no machine has a boot of that name, so the request has no effect. It
   * stays on the Host since it contains the earlier attempts.
   */
  public BootRequest takenBack() {
    return withFrom(TAKEN_BACK);
  }

  /** The attempt after this one, of the same operation. */
  public BootRequest again(String nextFrom, Instant nextAt, Outcome outcome) {
    return new BootRequest(
        nextFrom, attempt + 1, kind, operation, nextAt, configuration, past(outcome), alert);
  }

  /** The number of attempts since this instant to boot this configuration. */
  public int attemptsInto(String ofConfiguration, Instant since) {
    long past =
        history.stream()
            .filter(each -> each.configuration().equals(ofConfiguration))
            .filter(each -> !each.at().isBefore(since))
            .count();
    return (int) past + (configuration.equals(ofConfiguration) && !at.isBefore(since) ? 1 : 0);
  }

  /** The configurations that at least this number of attempts since this instant had to boot. */
  public Set<String> askedAtLeast(int attempts, Instant since) {
    return Stream.concat(history.stream().map(PastAttempt::configuration), Stream.of(configuration))
        .filter(each -> !each.isEmpty() && attemptsInto(each, since) >= attempts)
        .collect(Collectors.toSet());
  }

  /** Whether the machine is booted to repair it. */
  public boolean isRepair() {
    return kind.boots() && !alert.isEmpty();
  }

  /** Whether the machine is verified because of an alert. */
  public boolean isAlertVerification() {
    return !kind.boots() && !alert.isEmpty();
  }

  /** The number of this attempt, counting only attempts of its operation that boot the machine. */
  public int bootAttempt() {
    int before = Math.min(attempt - 1, history.size());
    long verifications =
        history.subList(history.size() - before, history.size()).stream()
            .filter(each -> !each.kind().boots())
            .count();
    return kind.boots() ? attempt - (int) verifications : attempt;
  }

  /** When the first attempt of its operation was requested, as far as the history goes back. */
  public Instant begunAt() {
    int before = Math.min(attempt - 1, history.size());
    return before == 0 ? at : history.get(history.size() - before).at();
  }

  /** When the last repair boot before this operation was requested; empty if none is known. */
  public Optional<Instant> lastRepairAt() {
    int before = Math.max(0, history.size() - (attempt - 1));
    return history.subList(0, before).reversed().stream()
        .filter(PastAttempt::isRepair)
        .map(PastAttempt::at)
        .findFirst();
  }

  /** The number of power cycles requested to repair the machine within this time before now. */
  public int repairs(Duration window, Instant now) {
    long past =
        history.stream()
            .filter(each -> each.isRepair() && each.at().plus(window).isAfter(now))
            .count();
    return (int) past + (isRepair() && at.plus(window).isAfter(now) ? 1 : 0);
  }

  /** The last attempts, in order. If there are too many, oldest non-repairs are removed first. */
  private static List<PastAttempt> remembered(List<PastAttempt> all) {
    List<PastAttempt> kept = new ArrayList<>(all);
    while (kept.size() > REMEMBERED) {
      kept.stream()
          .filter(each -> !each.isRepair())
          .findFirst()
          .ifPresentOrElse(kept::remove, kept::removeFirst);
    }
    return List.copyOf(kept);
  }

  /** Whether this is an attempt of that operation. */
  public boolean isOf(String ofOperation) {
    return operation.equals(ofOperation);
  }

  private List<PastAttempt> past(Outcome outcome) {
    return Stream.concat(
            history.stream(),
            Stream.of(new PastAttempt(from, attempt, kind, at, configuration, outcome, alert)))
        .toList();
  }
}
