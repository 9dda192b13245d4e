package io.nodepool.model.repair;

import io.nodepool.fleet.BootRequest;
import io.nodepool.fleet.Host;
import io.nodepool.vocabulary.BootKind;
import io.nodepool.vocabulary.Word;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;

/**
 * An alert that is reported about so many Nodes of a pool that its source is probably wrong, and
 * the machines that are verified to learn that (decision D33).
 *
 * @param alert its name
 * @param since when it was first suspected
 * @param verdict what the verifications show
 * @param checks the machines that are verified, at most {@link #MOST_CHECKS}
 */
@RecordBuilder
public record SuspectedAlert(String alert, Instant since, Verdict verdict, List<Check> checks)
    implements SuspectedAlertCopy.With {
  /** How many machines are verified. */
  public static final int MOST_CHECKS = 3;

  /** What the verifications show. */
  public enum Verdict implements Word {
    /** Nothing yet. */
    PENDING("Pending"),
    /** All machines passed: nothing is done for the alert. */
    FALSE_ALARM("FalseAlarm"),
    /** A machine did not pass: it is acted on as on any other alert. */
    GENUINE("Genuine");

    private final String word;

    Verdict(String word) {
      this.word = word;
    }

    @Override
    public String word() {
      return word;
    }
  }

  /**
   * A machine that is verified.
   *
   * @param passed whether it passed; empty while that is not known
   */
  public record Check(String node, String hostUid, Optional<Boolean> passed) {}

  public SuspectedAlert {
    checks = List.copyOf(checks);
  }

  /** An alert that is suspected from now on. */
  public static SuspectedAlert now(String alert, Instant now) {
    return new SuspectedAlert(
        alert, now.truncatedTo(ChronoUnit.MILLIS), Verdict.PENDING, List.of());
  }

  /** Whether nothing is done for it. */
  public boolean isFalseAlarm() {
    return verdict == Verdict.FALSE_ALARM;
  }

  /** Whether the machine of this Host is to be verified for it. */
  public boolean asks(Host host) {
    return verdict == Verdict.PENDING
        && answer(host).isEmpty()
        && checks.stream()
            .anyMatch(check -> check.hostUid().equals(host.id().uid()) && check.passed().isEmpty());
  }

  /**
   * Whether a machine passed the verification that was requested for the alert since it is
   * suspected; one that has to be repeated was not passed. Empty while that is not known.
   */
  public Optional<Boolean> answer(Host host) {
    return host.boot()
        .filter(request -> request.kind() == BootKind.VERIFICATION && !request.at().isBefore(since))
        .filter(request -> request.alert().equals(alert))
        .filter(request -> host.isOfAssignment(request.at()))
        .flatMap(request -> answer(host, request));
  }

  private static Optional<Boolean> answer(Host host, BootRequest request) {
    return request.attempt() > 1
        ? Optional.of(false)
        : host.report()
            .boot()
            .verification()
            .filter(verification -> verification.answers(host.report().bootId(), request))
            .map(Host.Verification::passed);
  }
}
