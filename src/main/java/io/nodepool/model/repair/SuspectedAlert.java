package io.nodepool.model.repair;

import io.nodepool.vocabulary.Word;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * An alert of a pool that is in doubt, or about which verifications of machines gave a verdict
 * (decision D33).
 *
 * @param alert its name
 * @param since since when it has this verdict
 * @param verdict the verdict on it
 * @param byCount whether it is in doubt only because work was ended for it, so that repairs that
 *     have begun go on
 * @param checks the last machines that were verified for it, oldest first, at most {@link
 *     #MOST_CHECKS}
 */
@RecordBuilder
public record SuspectedAlert(
    String alert, Instant since, Verdict verdict, boolean byCount, List<Check> checks)
    implements SuspectedAlertCopy.With {
  /** The operator's own alert that a Node is not Ready. */
  public static final String NOT_READY = "KubeNodeNotReady";

  /** The operator's own alert that the Node of a machine with an HGX board is not Ready. */
  public static final String NOT_READY_HGX = "KubeNodeNotReadyHGX";

  /** The number of consecutive verifications that decide on an alert. */
  public static final int MOST_CHECKS = 3;

  /** The verdict on an alert. */
  public enum Verdict implements Word {
    /** It is in doubt: a machine is verified before anything is done for it. */
    PENDING,
    /** A machine passed: nothing is done for the alert. */
    FALSE_ALARM,
    /** Three machines in a row did not pass: machines are repaired, each verified first. */
    GENUINE,
    /** Verifications cannot decide on it: nothing is done for it until a person releases it. */
    HELD
  }

  /**
   * A machine that was verified.
   *
   * @param at when the verification was requested
   * @param passed whether it passed; empty if it did not answer in time
   */
  public record Check(String node, String hostUid, Instant at, Optional<Boolean> passed) {
    private boolean isOf(Check other) {
      return hostUid.equals(other.hostUid) && at.equals(other.at);
    }
  }

  public SuspectedAlert {
    checks = List.copyOf(checks);
  }

  /** An alert with this verdict from now on, without verifications. */
  public static SuspectedAlert now(String alert, Verdict verdict, boolean byCount, Instant now) {
    return new SuspectedAlert(
        alert, now.truncatedTo(ChronoUnit.MILLIS), verdict, byCount, List.of());
  }

  /** The same alert with another verdict from now on, and the verifications that led to it. */
  public SuspectedAlert judged(Verdict next, Instant now) {
    return verdict == next
        ? this
        : new SuspectedAlert(
            alert,
            now.truncatedTo(ChronoUnit.MILLIS),
            next,
            byCount && next == Verdict.HELD,
            checks);
  }

  /**
   * This alert with a finished verification, unless it is recorded or older than all that count.
   */
  public SuspectedAlert with(Check check) {
    boolean isKnown =
        checks.stream().anyMatch(check::isOf)
            || (checks.size() >= MOST_CHECKS && check.at().isBefore(checks.getFirst().at()));
    if (isKnown) {
      return this;
    }
    List<Check> next =
        Stream.concat(checks.stream(), Stream.of(check))
            .sorted(Comparator.comparing(Check::at).thenComparing(Check::hostUid))
            .toList();
    return withChecks(next.subList(Math.max(0, next.size() - MOST_CHECKS), next.size()));
  }

  /** The Nodes of the machines with this result; an empty result means no answer in time. */
  public List<String> nodes(Optional<Boolean> passed) {
    return checks.stream()
        .filter(check -> check.passed().equals(passed))
        .map(Check::node)
        .distinct()
        .toList();
  }

  /** Whether this alert reports that a Node is not Ready. */
  public static boolean isNotReady(String alert) {
    return alert.equals(NOT_READY) || alert.equals(NOT_READY_HGX);
  }

  /** Whether nothing is done for it. */
  public boolean isFalseAlarm() {
    return verdict == Verdict.FALSE_ALARM;
  }

  /** Whether repairs for it begin only on a machine that did not pass. */
  public boolean isHeld() {
    return verdict != Verdict.GENUINE;
  }

  /** Whether repairs that have begun for it stop too. */
  public boolean stops() {
    return isHeld() && !byCount;
  }
}
