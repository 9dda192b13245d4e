package io.nodepool.world;

import static org.assertj.core.api.Assertions.assertThatCode;

import io.nodepool.world.operator.Faults;
import io.nodepool.world.operator.OperatorOverrides;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Plays what once made the operator say something that was not true, or nothing. */
@Tag("world")
class UntruthTest {
  @ParameterizedTest
  @MethodSource("io.nodepool.world.UntruthScenarios#all")
  void allThatIsSaidIsTrue(Scenario scenario) {
    assertThatCode(
            () -> {
              Drill drill =
                  Drill.with(0, scenario.dataCentre(), Faults.NONE, OperatorOverrides.AS_BUILT);
              scenario.play().accept(drill);
              drill.toRest();
            })
        .doesNotThrowAnyException();
  }
}
