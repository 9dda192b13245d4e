package io.nodepool.cli.input;

import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.nodepool.http.Endpoint;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import picocli.CommandLine.Option;

/** The options for the address of metrics and probes. */
public final class ServingOptions {
  @Option(
      names = "--metrics-address",
      paramLabel = "ADDRESS",
      defaultValue = "127.0.0.1",
      converter = OptionValues.OfAddress.class,
      description =
          "Address on which metrics and probes are served; 0.0.0.0 in a container. Default: ${DEFAULT-VALUE}.")
  private InetAddress address = InetAddress.getLoopbackAddress();

  @Option(
      names = "--metrics-port",
      paramLabel = "PORT",
      defaultValue = "8080",
      converter = OptionValues.OfPort.class,
      description = "Port of metrics and probes, 0 for any free one. Default: ${DEFAULT-VALUE}.")
  private int port = 8080;

  /** The address of metrics, with this port. */
  InetSocketAddress at(int ofPort) {
    return new InetSocketAddress(address, ofPort);
  }

  /**
   * Starts the endpoint.
   *
   * @param isPublic whether it serves the metrics too, to all clients
   * @throws io.nodepool.cli.command.CommandFailure if the port cannot be used
   */
  public Endpoint start(
      PrometheusMeterRegistry meters,
      boolean isPublic,
      BooleanSupplier healthy,
      BooleanSupplier ready)
      throws IOException {
    InetSocketAddress at = at(port);
    try {
      return Endpoint.start(
          at, isPublic ? Optional.of(meters::scrape) : Optional.empty(), healthy, ready);
    } catch (BindException e) {
      throw OptionValues.unusable(at, "--metrics-port or --metrics-address", e);
    }
  }
}
