package io.nodepool.kubernetes.client;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/**
 * The paths of objects in the API. Names need no escaping, since the API allows no such characters.
 */
public final class ApiPaths {
  private ApiPaths() {}

  // Not derived from the classes: reading their annotations would take too long for a command.

  /** All NodePools. */
  public static final String POOLS = "/apis/compute.coreweave.com/v1alpha1/nodepools";

  /** All Hosts. */
  public static final String HOSTS = "/apis/fleet.nodepool.io/v1alpha1/hosts";

  /** The HostSignals of all Hosts: what monitors report. */
  public static final String SIGNALS = "/apis/fleet.nodepool.io/v1alpha1/hostsignals";

  /** The heartbeats of all sources of signals. */
  public static final String SOURCES = "/apis/fleet.nodepool.io/v1alpha1/signalsources";

  /** All Nodes. */
  public static final String NODES = "/api/v1/nodes";

  /** All Pods. */
  public static final String PODS = "/api/v1/pods";

  /** PodDisruptionBudgets of all Namespaces. */
  public static final String BUDGETS = "/apis/policy/v1/poddisruptionbudgets";

  /** All Namespaces. */
  public static final String NAMESPACES = "/api/v1/namespaces";

  /** The Events of a namespace; Events about cluster-scoped objects are in {@code default}. */
  public static final String EVENTS = "/api/v1/namespaces/default/events";

  /** The version of the API server. */
  public static final String VERSION = "/version";

  /** Returns the user that the API server sees in a client (since Kubernetes 1.28). */
  public static final String OWN_USER = "/apis/authentication.k8s.io/v1/selfsubjectreviews";

  /** One NodePool. */
  public static String pool(String name) {
    return POOLS + "/" + name;
  }

  /** One Host. */
  public static String host(String name) {
    return HOSTS + "/" + name;
  }

  /** The HostSignals of one Host: what monitors report. */
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
    return NAMESPACES + "/" + name;
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
