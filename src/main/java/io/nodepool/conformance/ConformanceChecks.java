package io.nodepool.conformance;

import io.nodepool.conformance.ConformanceCheck.Cases;
import io.nodepool.conformance.ConformanceCheck.Rule;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;

/**
 * All checks of fleets. Each reads only a history, and does not depend on the order of a run. Their
 * rules are the table of {@code docs/conformance.md}.
 */
public final class ConformanceChecks {
  private static final String TABLE = "checks.md";

  private static final Pattern ROW =
      Pattern.compile("^\\| `(.+)` \\| \\[(.+)]\\((.+)\\) \\| (.+) \\|$", Pattern.MULTILINE);

  private static final List<ConformanceCheck> ALL = read();

  private ConformanceChecks() {}

  /** All checks, in the order of a report. */
  public static List<ConformanceCheck> all() {
    return ALL;
  }

  private static List<ConformanceCheck> read() {
    Map<String, BiConsumer<History, Cases>> judges = new TreeMap<>(DeliveryChecks.judges());
    judges.putAll(BootChecks.judges());
    judges.putAll(ReportChecks.judges());
    List<ConformanceCheck> checks =
        ROW.matcher(table())
            .results()
            .map(row -> new Rule(row.group(1), row.group(2), row.group(3), row.group(4)))
            .map(rule ->
                new ConformanceCheck(
                    rule,
                    Objects.requireNonNull(judges.remove(rule.name()), "no judge of " + rule)))
            .toList();
    if (!judges.isEmpty()) {
      throw new IllegalStateException("no rule of " + judges.keySet());
    }
    return checks;
  }

  /** The table of all rules, as Markdown. */
  static String table() {
    try (InputStream table = ConformanceChecks.class.getResourceAsStream(TABLE)) {
      return new String(
          Objects.requireNonNull(table, TABLE).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
