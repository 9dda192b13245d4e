package io.nodepool.cli.input;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.nodepool.http.Endpoint;
import io.nodepool.http.ReviewedTokens;
import io.nodepool.http.ServingCertificate;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The options for metrics that only some clients may read. */
public final class ProtectedMetricsOptions {
  @Option(
      names = "--metrics-tls-directory",
      paramLabel = "DIRECTORY",
      description =
          "Directory with the certificate tls.crt and its key tls.key, read again when they change. With it the metrics are served by TLS on a port of their own, to clients with a"
              + " bearer token whose user may get the path /metrics, as the API server says; the other port has the probes only.")
  private Optional<Path> certificate = Optional.empty();

  @Option(
      names = "--metrics-tls-port",
      paramLabel = "PORT",
      defaultValue = "8443",
      converter = OptionValues.OfPort.class,
      description = "That port, 0 for any free one. Default: ${DEFAULT-VALUE}.")
  private int port = 8443;

  private Optional<ServingCertificate> read = Optional.empty();

  /**
   * Reads the certificate.
   *
   * @throws io.nodepool.cli.command.CommandFailure if the certificate cannot be used
   */
  public void prepare() {
    read =
        certificate.map(
            folder -> InputFile.read("--metrics-tls-directory", folder, ServingCertificate::new));
  }

  /** Whether only some clients may read the metrics. */
  public boolean isSet() {
    return certificate.isPresent();
  }

  /**
   * Starts the endpoint if it is set, after {@link #prepare}, until the result is closed.
   *
   * @throws io.nodepool.cli.command.CommandFailure if the port cannot be used
   */
  public AutoCloseable start(ServingOptions serving, Config config, PrometheusMeterRegistry meters)
      throws IOException {
    if (read.isEmpty()) {
      return () -> {};
    }
    InetSocketAddress at = serving.at(port);
    KubernetesClient client = new KubernetesClientBuilder().withConfig(config).build();
    try {
      Endpoint endpoint =
          Endpoint.protecting(
              at,
              read.get(),
              meters::scrape,
              new ReviewedTokens(client, Endpoint.METRICS, InstantSource.system()));
      return () -> {
        endpoint.close();
        client.close();
      };
    } catch (BindException e) {
      client.close();
      throw OptionValues.unusable(at, "--metrics-tls-port or --metrics-address", e);
    }
  }
}
