package io.nodepool.kubernetes.client;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.jdkhttp.JdkHttpClientFactory;
import java.net.URI;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManager;

/**
 * Creates clients that send every request once. A client that retries by itself hides how long a
 * write took, and repeats it when the state that it was decided on has changed.
 */
public final class Clients {
  /** The time-out of a page of a list, and of a request of a command. */
  public static final Duration LIST_TIME_OUT = Duration.ofSeconds(30);

  /** The time-out of a request about the Lease. */
  public static final Duration LEASE_TIME_OUT = Duration.ofSeconds(2);

  private static final String METER = "nodepool-request-meter";
  private static final String EVENTS = "nodepool-watch-events";
  private static final String QUIET = "nodepool-quiet-watches";

  private Clients() {}

  /** A client for single requests: 4 s each. */
  public static KubernetesClient forRequests(Config config, RequestMeter meter) {
    return client(config, meter, ApiRequests.TIME_OUT, QuietWatches.LONGEST_SILENCE);
  }

  /** A client for lists and watches: 30 s for a page of a list. */
  public static KubernetesClient forWatches(Config config, RequestMeter meter) {
    return forWatches(config, meter, QuietWatches.LONGEST_SILENCE);
  }

  /** A client for lists and watches that reopens a watch after this long without an event. */
  public static KubernetesClient forWatches(
      Config config, RequestMeter meter, Duration longestSilence) {
    return client(config, meter, LIST_TIME_OUT, longestSilence);
  }

  /** A client for the Lease alone: 2 s each, so that its loss is noticed in time. */
  public static KubernetesClient forLease(Config config, RequestMeter meter) {
    return client(config, meter, LEASE_TIME_OUT, QuietWatches.LONGEST_SILENCE);
  }

  /**
   * Requests of a command that runs for a moment. They do not use a whole client, whose classes
   * would take longer to load than the command runs.
   */
  public static ApiRequests forCommand(Config config, Duration timeOut) {
    boolean hasAuthority = config.getCaCertData() != null || config.getCaCertFile() != null;
    if (hasAuthority && config.getAuthProvider() == null) {
      // Like kubectl, it trusts this authority alone. Reading the system's authorities takes long.
      System.setProperty("javax.net.ssl.trustStore", "NONE");
    }
    // The user waits and would only try again: a connection may take as long as an answer.
    Config own = once(config, timeOut, timeOut);
    HttpClient http = new EndingHttpClients().newBuilder(own).build();
    URI server = URI.create(own.getMasterUrl());
    return new ApiRequests(
        http, server, ApiSerialization.ofTrees(), WriteGate.ALWAYS_OPEN, timeOut);
  }

  private static KubernetesClient client(
      Config config, RequestMeter meter, Duration timeOut, Duration longestSilence) {
    return new KubernetesClientBuilder()
        .withConfig(once(config, timeOut, LEASE_TIME_OUT))
        .withKubernetesSerialization(ApiSerialization.shared())
        .withHttpClientFactory(new CheaplyEncrypting())
        .withHttpClientBuilderConsumer(builder ->
            builder
                .addOrReplaceInterceptor(METER, meter)
                .addOrReplaceInterceptor(QUIET, new QuietWatches(longestSilence, System::nanoTime))
                .addOrReplaceInterceptor(EVENTS, new WatchEventReader(ApiSerialization.shared())))
        .build();
  }

  /** The configuration of a client that sends every request once. */
  static Config once(Config config, Duration timeOut, Duration connect) {
    return new ConfigBuilder(config)
        .withRequestRetryBackoffLimit(0)
        .withRequestTimeout((int) timeOut.toMillis())
        .withConnectionTimeout((int) connect.toMillis())
        // A dead HTTP/2 connection would be used for every further request; an HTTP/1.1
        // connection is closed by the first request that times out.
        .withHttp2Disable(true)
        // The end of a WebSocket that is cut while an event is handled is never reported, and
        // its watch stays dead.
        .withOnlyHttpWatches(true)
        .build();
  }

  /**
   * Prefers ChaCha20 and accepts every other cipher. Without the JVM's second compiler AES takes
   * three times as long, a sixth of the operator's processor time; with it AES is not faster.
   */
  static class CheaplyEncrypting extends JdkHttpClientFactory {
    @Override
    protected void additionalConfig(java.net.http.HttpClient.Builder builder) {
      builder.sslParameters(new SSLParameters(cheapestFirst()));
    }

    /** All ciphers that are enabled by default, ChaCha20 first. */
    static String[] cheapestFirst() {
      try {
        // Without the certificates of the default context, which take long to read.
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, new TrustManager[0], null);
        return Arrays.stream(context.getDefaultSSLParameters().getCipherSuites())
            .sorted(Comparator.comparing(suite -> !suite.contains("CHACHA20")))
            .toArray(String[]::new);
      } catch (GeneralSecurityException e) {
        throw new IllegalStateException("this JVM has no TLS", e);
      }
    }
  }
}
