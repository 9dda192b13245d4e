package io.nodepool.cli.input;

import io.fabric8.kubernetes.client.Config;
import io.micrometer.core.instrument.MeterRegistry;
import io.nodepool.http.BearerToken;
import io.nodepool.http.ServingCertificate;
import io.nodepool.receiver.ReceiverRuntime;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The options for alerts from monitors. Without a port, nothing is received. */
public final class ReceivingOptions {
  @Option(
      names = "--alerts-port",
      paramLabel = "PORT",
      converter = OptionValues.OfPort.class,
      description =
          "Port on which the notifications of Alertmanager are received, 0 for any free one. Default: none are received.")
  private Optional<Integer> port = Optional.empty();

  @Option(
      names = "--alerts-address",
      paramLabel = "ADDRESS",
      defaultValue = "127.0.0.1",
      converter = OptionValues.OfAddress.class,
      description =
          "Address on which they are received; one that other machines can reach needs --alerts-tls-directory or --alerts-plaintext. Default: ${DEFAULT-VALUE}.")
  private InetAddress address = InetAddress.getLoopbackAddress();

  @Option(
      names = "--alerts-token-file",
      paramLabel = "FILE",
      description =
          "File with the bearer token that Alertmanager sends. It is read again when it changes.")
  private Optional<Path> token = Optional.empty();

  @Option(
      names = "--alerts-tls-directory",
      paramLabel = "DIRECTORY",
      description =
          "Directory with the certificate tls.crt and its key tls.key. They are read again when they change.")
  private Optional<Path> certificate = Optional.empty();

  @Option(
      names = "--alerts-plaintext",
      description =
          "Receive alerts without TLS also on addresses that other machines can reach: whoever can read the network can read the token.")
  private boolean plaintext;

  @Spec(Spec.Target.MIXEE)
  @SuppressWarnings("NullAway.Init")
  private CommandSpec spec;

  private Optional<BearerToken> readToken = Optional.empty();
  private Optional<ServingCertificate> readCertificate = Optional.empty();

  /**
   * Rejects options that do not fit together, and reads the files that they name.
   *
   * @throws io.nodepool.cli.command.CommandFailure if a file cannot be used
   */
  public void prepare() {
    OptionValues.require(
        spec,
        port.isPresent() || (token.isEmpty() && certificate.isEmpty() && !plaintext),
        "--alerts-token-file, --alerts-tls-directory and --alerts-plaintext need --alerts-port.");
    OptionValues.require(
        spec,
        port.isEmpty() || token.isPresent(),
        "--alerts-port needs --alerts-token-file: alerts decide which Nodes are taken out of service.");
    OptionValues.require(
        spec,
        port.isEmpty() || certificate.isPresent() || plaintext || address.isLoopbackAddress(),
        "--alerts-address: other machines can reach %s; add --alerts-tls-directory, or --alerts-plaintext if the network encrypts."
            .formatted(address.getHostAddress()));
    readToken = token.map(file -> InputFile.read("--alerts-token-file", file, BearerToken::new));
    readCertificate =
        certificate.map(
            folder -> InputFile.read("--alerts-tls-directory", folder, ServingCertificate::new));
  }

  /**
   * Starts the receiver if it is set, after {@link #prepare}, until the result is closed.
   *
   * @throws io.nodepool.cli.command.CommandFailure if the port cannot be used
   */
  public AutoCloseable start(Config config, String namespace, MeterRegistry meters)
      throws IOException {
    if (port.isEmpty()) {
      return () -> {};
    }
    InetSocketAddress at = new InetSocketAddress(address, port.get());
    try {
      return ReceiverRuntime.start(
          config,
          new ReceiverRuntime.Options(
              at,
              readToken.orElseThrow(),
              readCertificate,
              namespace,
              InstantSource.system(),
              meters));
    } catch (BindException e) {
      throw OptionValues.unusable(at, "--alerts-port or --alerts-address", e);
    }
  }
}
