package io.nodepool.conformance;

import io.nodepool.conformance.History.Fact;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * One rule for fleets, and how a history shows whether it was kept. Pure.
 *
 * @param name its name in reports
 * @param page where the rule is said, below {@code docs}
 * @param rule what a fleet must do
 * @param unless why there may be no case of it in a history
 * @param judge finds the cases in a history, and which of them break the rule
 */
public record ConformanceCheck(
    String name, String page, String rule, String unless, BiConsumer<History, Cases> judge) {
  private static final int MOST_SHOWN = 5;

  /** What became of a check. */
  public enum Verdict {
    PASSED,
    FAILED,
    /** There was no case. */
    SKIPPED
  }

  /**
   * The outcome of a check.
   *
   * @param cases how many cases there were
   * @param seen what broke the rule, at most the first five; or why the check was skipped
   */
  public record Outcome(
      ConformanceCheck check, Verdict verdict, int cases, int wrong, List<String> seen) {
    public Outcome {
      seen = List.copyOf(seen);
    }
  }

  /** Collects the cases of a check. */
  public static final class Cases {
    private final List<String> wrong = new ArrayList<>();
    private int count;

    /** One more case; it breaks the rule unless it is right. */
    void judge(boolean right, Fact fact, String seen) {
      count++;
      require(right, fact, seen);
    }

    /** A case that was counted breaks the rule unless this is right. */
    void require(boolean right, Fact fact, String seen) {
      if (!right) {
        wrong.add("%s at %s: %s".formatted(fact.host(), fact.at(), seen));
      }
    }
  }

  /** A check that looks at each Host alone. */
  static ConformanceCheck ofHost(
      String name, String page, String rule, String unless, BiConsumer<History, Cases> judge) {
    return new ConformanceCheck(
        name,
        page,
        rule,
        unless,
        (history, cases) ->
            history.hosts().forEach(host -> judge.accept(history.about(host), cases)));
  }

  /** Judges a history. */
  public Outcome outcome(History history) {
    Cases cases = new Cases();
    judge.accept(history, cases);
    if (cases.count == 0 && cases.wrong.isEmpty()) {
      return new Outcome(this, Verdict.SKIPPED, 0, 0, List.of(unless));
    }
    return new Outcome(
        this,
        cases.wrong.isEmpty() ? Verdict.PASSED : Verdict.FAILED,
        cases.count,
        cases.wrong.size(),
        cases.wrong.stream().limit(MOST_SHOWN).toList());
  }
}
