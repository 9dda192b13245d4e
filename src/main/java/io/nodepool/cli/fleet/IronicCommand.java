package io.nodepool.cli.fleet;

import io.fabric8.kubernetes.client.Config;
import io.nodepool.cli.command.CommandEnvironment;
import io.nodepool.cli.command.CommandFailure;
import io.nodepool.cli.command.ExitCodes;
import io.nodepool.cli.command.Meters;
import io.nodepool.cli.command.ShutdownOnSignal;
import io.nodepool.cli.input.ConnectionOptions;
import io.nodepool.cli.input.InputFile;
import io.nodepool.cli.input.OptionValues;
import io.nodepool.cli.input.ServingOptions;
import io.nodepool.http.Endpoint;
import io.nodepool.ironic.cluster.IronicFleetController;
import io.nodepool.kubernetes.convert.UnreadableObjectException;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.InstantSource;
import java.util.Base64;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * Runs the fleet of an Ironic until it is stopped. Only one may run for an Ironic and a cluster: of
 * two, later writes are rejected, but both send requests to Ironic.
 */
@Command(
    name = "ironic",
    mixinStandardHelpOptions = true,
    description =
        "Run the fleet of the machines that an OpenStack Ironic manages, until it is stopped with SIGTERM or Ctrl-C.",
    footerHeading = "%nEnvironment variables:%n",
    footer = {
      "  IRONIC_USER, IRONIC_PASSWORD: of Ironic's http_basic",
      "  IRONIC_CREDENTIAL_ID, IRONIC_CREDENTIAL_SECRET: an application credential of Keystone, with --keystone"
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "1:the fleet could not start",
      "2:an option, a file or an environment variable is wrong",
      "130, 143:the command was ended by Ctrl-C or SIGTERM"
    })
final class IronicCommand implements Callable<Integer> {
  @Mixin private final ConnectionOptions connection = new ConnectionOptions();
  @Mixin private final ServingOptions serving = new ServingOptions();

  @Option(
      names = "--ironic",
      paramLabel = "URL",
      required = true,
      description = "Address of Ironic's API, such as https://ironic.example:6385.")
  private URI ironic = URI.create("");

  @Option(
      names = "--offer",
      paramLabel = "FILE",
      required = true,
      description =
          "The offer to publish, as JSON: its instance types are resource classes of nodes.")
  private Path offer = Path.of("");

  @Option(
      names = "--ironic-authority",
      paramLabel = "FILE",
      description =
          "Certificates (PEM) of the authorities that Ironic and Keystone are trusted by. Default: those of the JVM.")
  private Optional<Path> authority = Optional.empty();

  @Option(
      names = "--keystone",
      paramLabel = "URL",
      description = "Address of Keystone, such as https://keystone.example:5000/v3.")
  private Optional<URI> keystone = Optional.empty();

  @Option(
      names = "--join-namespace",
      paramLabel = "NAME",
      converter = OptionValues.OfName.class,
      description =
          "Namespace of the credentials with which machines join; nothing else may be in it. Default: nodepool-join.")
  private String joining = "nodepool-join";

  @Option(
      names = "--join-server",
      paramLabel = "URL",
      description =
          "Address at which machines reach the API server. Default: the one that this command uses.")
  private Optional<URI> server = Optional.empty();

  @Spec
  @SuppressWarnings("NullAway.Init")
  private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    OptionValues.require(
        spec,
        isHttp(ironic),
        "--ironic is an address that begins with https:// or http://, not " + ironic + ".");
    OptionValues.require(
        spec,
        keystone.filter(address -> !isHttp(address)).isEmpty(),
        "--keystone is an address that begins with https:// or http://, not %s."
            .formatted(keystone.map(URI::toString).orElse("")));
    Config config = connection.config();
    CompletableFuture<Integer> end = new CompletableFuture<>();
    try (ShutdownOnSignal interruption = new ShutdownOnSignal(() -> end.complete(ExitCodes.DONE));
        Meters meters = new Meters();
        IronicFleetController controller = start(config, meters);
        Endpoint _ =
            serving.start(meters.registry(), true, controller::isHealthy, controller::isReady)) {
      interruption.listen();
      return end.join();
    }
  }

  private static boolean isHttp(URI address) {
    return "https".equals(address.getScheme()) || "http".equals(address.getScheme());
  }

  private IronicFleetController start(Config config, Meters meters) throws IOException {
    try {
      return IronicFleetController.start(
          config,
          new IronicFleetController.Settings(
              ironic,
              new IronicFleetController.Identity(
                  variable("IRONIC_USER"),
                  variable("IRONIC_PASSWORD"),
                  keystone,
                  variable("IRONIC_CREDENTIAL_ID"),
                  variable("IRONIC_CREDENTIAL_SECRET")),
              authority.map(IronicCommand::trusting),
              InputFile.text(offer),
              connection.namespace(),
              joining,
              server.map(URI::toString).orElse(config.getMasterUrl()),
              clusterAuthority(config),
              meters.registry(),
              InstantSource.system()));
    } catch (UnreadableObjectException e) {
      throw CommandFailure.wrongInput("%s: %s".formatted(offer, e.getMessage()));
    }
  }

  private String variable(String name) {
    return CommandEnvironment.of(spec).environment().getOrDefault(name, "");
  }

  private static String clusterAuthority(Config config) throws IOException {
    return config.getCaCertData() != null
        ? new String(Base64.getDecoder().decode(config.getCaCertData()), StandardCharsets.UTF_8)
        : config.getCaCertFile() != null ? Files.readString(Path.of(config.getCaCertFile())) : "";
  }

  private static SSLContext trusting(Path file) {
    try (var in = Files.newInputStream(file)) {
      KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
      store.load(null, null);
      int count = 0;
      for (Certificate each : CertificateFactory.getInstance("X.509").generateCertificates(in)) {
        store.setCertificateEntry("authority-" + count++, each);
      }
      if (count == 0) {
        throw CommandFailure.wrongInput(
            "--ironic-authority: %s holds no certificate.".formatted(file));
      }
      TrustManagerFactory managers =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      managers.init(store);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, managers.getTrustManagers(), null);
      return context;
    } catch (IOException | GeneralSecurityException e) {
      throw CommandFailure.wrongInput(
          "--ironic-authority: %s holds no certificates that can be read: %s"
              .formatted(file, e.getMessage()));
    }
  }
}
