package io.nodepool.kubernetes.convert;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.model.pool.ConfigurationCommands;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CommandAnnotationsTest {
  private static final String RECORD = "nodepool.io/accepted-command";

  private static ConfigurationCommands read(Map<String, String> annotations) {
    return CommandAnnotations.read(annotations, "uid-a");
  }

  @Test
  void anAcceptedCommandIsReadAsItWasWritten() {
    ConfigurationCommands.Accepted accepted =
        new ConfigurationCommands.Accepted(
            3, 2, true, Optional.of("p"), Optional.of("start"), true);

    assertThat(read(Map.of(RECORD, CommandAnnotations.write(accepted, "uid-a"))).accepted())
        .contains(accepted);
  }

  @ParameterizedTest
  @CsvSource({"true, true, true", "false, false, false", "'', true, false", "yes, true, false"})
  void aPromotionIsABoolean(String value, boolean waits, boolean promotes) {
    ConfigurationCommands commands = read(Map.of("nodepool.io/promote", value));

    assertThat(commands.isWaiting()).isEqualTo(waits);
    assertThat(commands.asked().promotes()).isEqualTo(promotes);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "7", "{", "{}", "null", "{\"number\":0}", "{\"number\":1000000000}", "[1]"})
  void aRecordThatCannotBeReadIsAProblemAndLeavesTheCommandsReadable(String record) {
    ConfigurationCommands commands = read(Map.of(RECORD, record, "nodepool.io/rollout", "stop"));

    assertThat(commands.asked().stops()).isTrue();
    assertThat(commands.accepted()).isEmpty();
    assertThat(commands.problem()).isPresent();
    assertThat(commands.next(4, false).orElseThrow().number()).isEqualTo(5);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 999_999_998, 999_999_999})
  void theRecordAfterOneThatIsReadableIsReadableAndItsCommandIsOpen(int number) {
    ConfigurationCommands last =
        read(Map.of(RECORD, "{\"number\":%d}".formatted(number), "nodepool.io/rollout", "stop"));
    ConfigurationCommands.Accepted next = last.next(number, false).orElseThrow();

    ConfigurationCommands read = read(Map.of(RECORD, CommandAnnotations.write(next, "uid-a")));
    assertThat(last.open(number)).isEmpty();
    assertThat(read.problem()).isEmpty();
    assertThat(read.open(number)).contains(next);
    assertThat(read.open(next.number())).isEmpty();
  }

  @Test
  void aRecordOfAnotherPoolIsVoidAndOneOfAnEarlierVersionIsNot() {
    assertThat(read(Map.of(RECORD, "{\"number\":4,\"poolUid\":\"uid-b\",\"promote\":true}")))
        .isEqualTo(ConfigurationCommands.NONE);
    assertThat(read(Map.of(RECORD, "{ \"number\": 4, \"promote\": true }")).number()).isEqualTo(4);
  }
}
