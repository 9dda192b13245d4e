package io.nodepool.drill;

import dev.cel.common.CelValidationException;
import dev.cel.common.types.SimpleType;
import dev.cel.compiler.CelCompiler;
import dev.cel.compiler.CelCompilerFactory;
import dev.cel.parser.CelStandardMacro;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelRuntime;
import dev.cel.runtime.CelRuntimeFactory;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Something that must hold in a drill: an expression in CEL. */
public final class Expectation {
  /** When an expectation must hold. */
  public sealed interface Moment {
    /** At any time; looked at each 10 s. */
    record Always() implements Moment {}

    /** At the end. */
    record AtEnd() implements Moment {}

    /** At this time from the start. */
    record At(Duration time) implements Moment {}
  }

  private static final CelCompiler COMPILER = compiler();
  private static final CelRuntime RUNTIME = CelRuntimeFactory.legacyCelRuntimeBuilder().build();

  private final String text;
  private final Moment moment;
  private final CelRuntime.Program program;

  private Expectation(String text, Moment moment, CelRuntime.Program program) {
    this.text = text;
    this.moment = moment;
    this.program = program;
  }

  private static CelCompiler compiler() {
    var builder =
        CelCompilerFactory.standardCelCompilerBuilder()
            .setStandardMacros(CelStandardMacro.STANDARD_MACROS);
    Scenario.VALUES.keySet().forEach(name -> builder.addVar(name, SimpleType.DYN));
    return builder.build();
  }

  /**
   * Compiles an expression.
   *
   * @throws IllegalArgumentException if it is not an expression, with the reason in one line
   */
  public static Expectation of(String text, Moment moment, String expression) {
    try {
      return new Expectation(
          text, moment, RUNTIME.createProgram(COMPILER.compile(expression).getAst()));
    } catch (CelValidationException | CelEvaluationException e) {
      throw new IllegalArgumentException(
          String.valueOf(e.getMessage()).lines().findFirst().orElse("").replace("ERROR: ", ""), e);
    }
  }

  /** Its meaning for people. */
  public String text() {
    return text;
  }

  /** When it must hold. */
  public Moment moment() {
    return moment;
  }

  /** Why it does not hold for these values; empty if it does. */
  Optional<String> violated(Map<String, Object> values) {
    try {
      Object holds = program.eval(values);
      return holds.equals(true)
          ? Optional.empty()
          : Optional.of(
              holds.equals(false) ? text : "%s: it is %s, not true".formatted(text, holds));
    } catch (CelEvaluationException e) {
      String why = String.valueOf(e.getMessage()).replaceAll("\\.$", "");
      return Optional.of("%s: %s%s".formatted(text, why, known(values, e)));
    }
  }

  /** The known names, if the expression contains an unknown name. */
  private static String known(Map<String, Object> values, CelEvaluationException why) {
    return String.valueOf(why.getMessage()).contains("not present in map")
        ? Stream.of("pools", "workloads")
            .map(each -> "; %s has %s".formatted(each, names(values.get(each))))
            .collect(Collectors.joining())
        : "";
  }

  private static String names(@Nullable Object named) {
    return named instanceof Map<?, ?> map && !map.isEmpty()
        ? map.keySet().stream().map(String::valueOf).sorted().collect(Collectors.joining(", "))
        : "none";
  }
}
