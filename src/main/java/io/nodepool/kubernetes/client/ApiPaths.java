package io.nodepool.kubernetes.client;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.api.HostSignalsResource;
import io.nodepool.kubernetes.api.NodePool;
import io.nodepool.kubernetes.api.SignalSourceResource;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/**
 * The paths of objects in the API. Names need no escaping, since the API allows no such characters.
 */
public final class ApiPaths {
  private ApiPaths() {}

  /** All NodePools. */
  public static final String POOLS = of(NodePool.class);

  /** All Hosts. */
  public static final String HOSTS = of(HostResource.class);

  /** What monitors report about all Hosts. */
  public static final String SIGNALS = of(HostSignalsResource.class);

  /** The heartbeats of all sources of signals. */
  public static final String SOURCES = of(SignalSourceResource.class);

  /** All Nodes. */
  public static final String NODES = "/api/v1/nodes";

  /** All Pods. */
  public static final String PODS = "/api/v1/pods";

  /** The Events of a namespace; those about cluster-scoped objects are in {@code default}. */
  public static final String EVENTS = "/api/v1/namespaces/default/events";

  /** Answers as whom the API server sees a client (Kubernetes 1.28). */
  public static final String OWN_USER = "/apis/authentication.k8s.io/v1/selfsubjectreviews";

  private static String of(Class<? extends HasMetadata> type) {
    return "/apis/%s/%s/%s"
        .formatted(
            HasMetadata.getGroup(type), HasMetadata.getVersion(type), HasMetadata.getPlural(type));
  }

  /** One NodePool. */
  public static String pool(String name) {
    return POOLS + "/" + name;
  }

  /** One Host. */
  public static String host(String name) {
    return HOSTS + "/" + name;
  }

  /** What monitors report about one Host. */
  public static String signals(String host) {
    return SIGNALS + "/" + host;
  }

  /** One Node. */
  public static String node(String name) {
    return NODES + "/" + name;
  }

  /** One Pod. */
  public static String pod(String namespace, String name) {
    return "/api/v1/namespaces/%s/pods/%s".formatted(namespace, name);
  }

  /** One ConfigMap. */
  public static String configMap(String namespace, String name) {
    return "/api/v1/namespaces/%s/configmaps/%s".formatted(namespace, name);
  }

  /** The Jobs of a Namespace. */
  public static String jobs(String namespace) {
    return "/apis/batch/v1/namespaces/%s/jobs".formatted(namespace);
  }

  /** One Namespace. */
  public static String namespace(String name) {
    return "/api/v1/namespaces/" + name;
  }

  /** One page of a list: consistent, at most {@code limit} objects. */
  public static String page(String path, int limit, String labelSelector, String next) {
    StringBuilder query = new StringBuilder(path).append("?limit=").append(limit);
    if (!labelSelector.isEmpty()) {
      query.append("&labelSelector=").append(encode(labelSelector));
    }
    if (!next.isEmpty()) {
      query.append("&continue=").append(encode(next));
    }
    return query.toString();
  }

  private static String encode(String value) {
    return URLEncoder.encode(value, StandardCharsets.UTF_8);
  }
}
