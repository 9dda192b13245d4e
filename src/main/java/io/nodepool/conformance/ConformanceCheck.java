package io.nodepool.conformance;

import io.nodepool.conformance.History.Change;
import io.nodepool.conformance.History.Fact;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * One rule for fleets, and how a history shows whether it was kept. Pure.
 *
 * @param judge finds the cases in the history of a Host, and which of them break the rule
 */
public record ConformanceCheck(Rule rule, BiConsumer<History, Cases> judge) {
  private static final int MOST_SHOWN = 5;

  /**
   * What a fleet must do.
   *
   * @param name the name of its check
   * @param text the rule
   * @param page the page that states it, below {@code docs}
   * @param unless why there may be no case of it in a history
   */
  public record Rule(String name, String text, String page, String unless) {}

  /** The result of a check. */
  public enum Verdict {
    PASSED,
    FAILED,
    /** There was no case. */
    SKIPPED
  }

  /**
   * The outcome of a check.
   *
   * @param cases the number of cases
   * @param seen what broke the rule, at most the first five; or why the check was skipped
   */
  public record Outcome(Rule rule, Verdict verdict, int cases, int wrong, List<String> seen) {
    public Outcome {
      seen = List.copyOf(seen);
    }
  }

  /** Collects the cases of a check. */
  static final class Cases {
    private final List<String> wrong = new ArrayList<>();
    private int count;

    /** Counts a case, which breaks the rule unless it is right. */
    void judge(boolean right, Fact fact, String seen) {
      count++;
      require(right, fact, seen);
    }

    /** Lets a case that is already counted break the rule unless this is right. */
    void require(boolean right, Fact fact, String seen) {
      if (!right) {
        wrong.add("%s at %s: %s".formatted(fact.host(), fact.at(), seen));
      }
    }
  }

  /** Each fact of a kind is a case. */
  static <F extends Fact> BiConsumer<History, Cases> each(
      Class<F> kind, BiPredicate<History, F> right, Function<F, String> seen) {
    return (host, cases) ->
        host.of(kind).forEach(fact -> cases.judge(right.test(host, fact), fact, seen.apply(fact)));
  }

  /** Each change of this kind is a case. */
  static BiConsumer<History, Cases> changes(
      Predicate<Change> which, BiPredicate<History, Change> right, Function<Change, String> seen) {
    return (host, cases) ->
        host.changes().stream()
            .filter(which)
            .forEach(each -> cases.judge(right.test(host, each), each.seen(), seen.apply(each)));
  }

  /** Judges a history, each Host by itself. */
  Outcome outcome(History history) {
    Cases cases = new Cases();
    history.hosts().forEach(host -> judge.accept(history.about(host), cases));
    if (cases.count == 0 && cases.wrong.isEmpty()) {
      return new Outcome(rule, Verdict.SKIPPED, 0, 0, List.of(rule.unless()));
    }
    return new Outcome(
        rule,
        cases.wrong.isEmpty() ? Verdict.PASSED : Verdict.FAILED,
        cases.count,
        cases.wrong.size(),
        cases.wrong.stream().limit(MOST_SHOWN).toList());
  }
}
