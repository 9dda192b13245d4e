package io.nodepool.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import picocli.CommandLine;

class DemoTest {
  @ParameterizedTest
  @EnumSource
  void theHelpHasEachDemo(Demo demo) {
    CommandLine command = new CommandLine(new DemoCommand());

    assertThat(command.getUsageMessage())
        .contains("  %-7s  %s\n".formatted(demo.word(), demo.summary()));
    assertThat(command.getCommandSpec().positionalParameters().getFirst().paramLabel().split("\\|"))
        .contains(demo.word());
  }
}
