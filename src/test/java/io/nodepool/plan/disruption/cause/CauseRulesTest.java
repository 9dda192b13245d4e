package io.nodepool.plan.disruption.cause;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.model.node.CauseRule;
import io.nodepool.plan.Given;
import io.nodepool.plan.PlanSettings;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A rule is asked instead of a cause's name, so its values must not be names of causes. */
class CauseRulesTest {
  private static final Instant AT = Instant.parse("2026-01-01T10:00:00Z");

  /** The causes of all types, with all facts that they may carry. */
  private static final List<KnownCause> CAUSES =
      Arrays.stream(KnownCause.class.getPermittedSubclasses())
          .flatMap(type ->
              facts(List.of(type.getRecordComponents()))
                  .flatMap(facts -> cause(type, facts).stream()))
          .toList();

  /** The cause with these facts; empty if its type refuses them. */
  private static Optional<KnownCause> cause(Class<?> type, List<Object> facts) {
    try {
      return Optional.of(
          (KnownCause) type.getDeclaredConstructors()[0].newInstance(facts.toArray()));
    } catch (InvocationTargetException e) {
      assertThat(e).hasCauseInstanceOf(IllegalArgumentException.class);
      return Optional.empty();
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Stream<List<Object>> facts(List<RecordComponent> of) {
    return of.isEmpty()
        ? Stream.of(List.of())
        : values(of.getFirst().getGenericType())
            .flatMap(first ->
                facts(of.subList(1, of.size()))
                    .map(rest -> Stream.concat(Stream.of(first), rest.stream()).toList()));
  }

  /** Values of a fact: all of an enumeration, one text and one instant. */
  private static Stream<Object> values(Type type) {
    if (type instanceof ParameterizedType optional) {
      return Stream.concat(
          Stream.of(Optional.empty()),
          values(optional.getActualTypeArguments()[0]).map(Optional::of));
    }
    if (type instanceof Class<?> of && of.isEnum()) {
      return Arrays.stream(of.getEnumConstants());
    }
    return switch (type.getTypeName()) {
      case "boolean" -> Stream.of(false, true);
      case "java.lang.String" -> Stream.of("a text");
      case "java.time.Instant" -> Stream.of(AT);
      default -> throw new IllegalStateException("no sample of " + type);
    };
  }

  /** Values that one cause alone has, each with its reason. */
  private static final Map<String, String> OF_ONE_CAUSE =
      Map.of(
          "countsAs=PREEMPTION", "clients count preempted Nodes by themselves (seed 004)",
          "yieldsTo=Optional[PREEMPTION]", "a preempted Node counts as leaving already (D71)",
          "settles=false", "an instant from outside does not wait for late bindings (D67)",
          "request=Optional[PENDING_STATE]", "the label asks for each kind of reboot");

  /** Its order is that of the table in docs/reference/conditions.md. */
  @Test
  void theListHasEachKindOnce() {
    assertThat(CAUSES.stream().map(KnownCause::kind).distinct())
        .containsExactlyInAnyOrderElementsOf(KnownCause.Catalogue.ALL);
    assertThat(KnownCause.Catalogue.ALL).extracting(CauseKind::word).doesNotHaveDuplicates();
    assertThat(KnownCause.Catalogue.ALL).extracting(CauseKind::text).doesNotHaveDuplicates();
  }

  @Test
  void eachIsReadAsItIsWritten() {
    assertThat(CAUSES)
        .allSatisfy(
            cause -> assertThat(cause.kind().read().apply(cause.reference())).isEqualTo(cause));
  }

  @Test
  void itDemandsWhatItsRuleSays() {
    CauseFacts facts =
        CauseFacts.withoutMachine(
            Given.node(Given.running("g1"), 1), true, AT, PlanSettings.DEFAULTS);
    assertThat(CAUSES)
        .allSatisfy(cause ->
            assertThat(cause.demand(AT, facts).leaving().isPresent())
                .as(cause.word())
                .isEqualTo(cause.leaves()));
  }

  @Test
  void noValueOfARuleIsTheNameOfACause() throws ReflectiveOperationException {
    Map<String, Set<Class<?>>> users = new TreeMap<>();
    for (KnownCause cause : CAUSES) {
      for (RecordComponent component : CauseRule.class.getRecordComponents()) {
        users
            .computeIfAbsent(
                component.getName() + "=" + component.getAccessor().invoke(cause.rule()),
                _ -> new LinkedHashSet<>())
            .add(cause.getClass());
      }
    }
    Set<String> ofOne = new TreeSet<>();
    users.forEach((value, causes) -> {
      if (causes.size() == 1) {
        ofOne.add(value);
      }
    });
    assertThat(ofOne).isEqualTo(new TreeSet<>(OF_ONE_CAUSE.keySet())).hasSizeLessThanOrEqualTo(5);
  }
}
