package io.nodepool.kubernetes.client;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.CoercionAction;
import com.fasterxml.jackson.databind.cfg.CoercionInputShape;
import com.fasterxml.jackson.databind.type.LogicalType;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.jdkhttp.JdkHttpClientFactory;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.api.NodePool;
import io.nodepool.kubernetes.api.SimulatedFleet;
import java.net.http.HttpClient;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;

/**
 * Clients that send every request once: a client that resends by itself hides how long a write took
 * and sends it again after its ground is gone.
 */
public final class Clients {
  private static final Duration LIST_TIME_OUT = Duration.ofSeconds(30);

  /** How long a request about the Lease may take. */
  public static final Duration LEASE_TIME_OUT = Duration.ofSeconds(2);

  private static final String METER = "nodepool-request-meter";
  private static final String ASCII = "nodepool-ascii-watches";
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

  /** A client for lists and watches that asks again for a watch which was silent for so long. */
  public static KubernetesClient forWatches(
      Config config, RequestMeter meter, Duration longestSilence) {
    return client(config, meter, LIST_TIME_OUT, longestSilence);
  }

  /** A client for the lease alone: 2 s, so that losing it is noticed in time. */
  public static KubernetesClient forLease(Config config, RequestMeter meter) {
    return client(config, meter, LEASE_TIME_OUT, QuietWatches.LONGEST_SILENCE);
  }

  private static KubernetesClient client(
      Config config, RequestMeter meter, Duration timeOut, Duration longestSilence) {
    Config own =
        new ConfigBuilder(config)
            .withRequestRetryBackoffLimit(0)
            .withRequestTimeout((int) timeOut.toMillis())
            .withConnectionTimeout((int) Math.min(timeOut.toMillis(), LEASE_TIME_OUT.toMillis()))
            // A dead HTTP/2 connection would be used for every further request; one of HTTP/1.1 is
            // closed with the first that times out.
            .withHttp2Disable(true)
            // A WebSocket that is cut off while an event is being handled is never told to have
            // ended, and its watch is dead from then on.
            .withOnlyHttpWatches(true)
            .build();
    return new KubernetesClientBuilder()
        .withConfig(own)
        .withKubernetesSerialization(serialization())
        .withHttpClientFactory(new CheaplyEncrypting())
        .withHttpClientBuilderConsumer(builder ->
            builder
                .addOrReplaceInterceptor(METER, meter)
                .addOrReplaceInterceptor(QUIET, new QuietWatches(longestSilence, System::nanoTime))
                .addOrReplaceInterceptor(ASCII, new AsciiWatches()))
        .build();
  }

  /** Of a kind that is not registered, each event of a watch becomes a tree of maps first. */
  private static KubernetesSerialization serialization() {
    KubernetesSerialization serialization = new KubernetesSerialization(mapper(), true);
    serialization.registerKubernetesResource(NodePool.class);
    serialization.registerKubernetesResource(HostResource.class);
    serialization.registerKubernetesResource(SimulatedFleet.class);
    return serialization;
  }

  /** Who owns which field is half of what a server sends, and nobody here asks for it. */
  private static ObjectMapper mapper() {
    ObjectMapper mapper =
        new ObjectMapper()
            .addHandler(new UnknownWordsHandler())
            .addMixIn(ObjectMeta.class, WithoutManagedFields.class);
    mapper
        .coercionConfigFor(LogicalType.Enum)
        .setCoercion(CoercionInputShape.EmptyString, CoercionAction.AsNull);
    return mapper;
  }

  /** Makes Jackson pass over the owners of fields. */
  @JsonIgnoreProperties("managedFields")
  private interface WithoutManagedFields {}

  /**
   * Asks for ChaCha20 first and takes any other cipher all the same. Without the JVM's second
   * compiler AES takes three times as long, a sixth of the operator's processor time; with it AES
   * is not faster.
   */
  static final class CheaplyEncrypting extends JdkHttpClientFactory {
    @Override
    protected void additionalConfig(HttpClient.Builder builder) {
      builder.sslParameters(new SSLParameters(cheapestFirst()));
    }

    /** All ciphers that are on by default. */
    static String[] cheapestFirst() {
      try {
        return Arrays.stream(SSLContext.getDefault().getDefaultSSLParameters().getCipherSuites())
            .sorted(Comparator.comparing(suite -> !suite.contains("CHACHA20")))
            .toArray(String[]::new);
      } catch (NoSuchAlgorithmException e) {
        throw new IllegalStateException("this JVM has no TLS", e);
      }
    }
  }
}
