package io.nodepool.cli.input;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.cli.Main;
import java.net.InetAddress;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** Metrics and probes have no authentication, so they are served on loopback by default. */
class ServingOptionsTest {
  @ParameterizedTest
  @ValueSource(strings = {"run", "simulate"})
  void metricsAndProbesAreServedOnLoopbackByDefault(String command) {
    InetAddress address =
        new CommandLine(new Main())
            .parseArgs(command)
            .subcommand()
            .commandSpec()
            .findOption("--metrics-address")
            .getValue();

    assertThat(address.isLoopbackAddress()).isTrue();
  }
}
