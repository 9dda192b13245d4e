package io.nodepool.local;

import java.nio.charset.StandardCharsets;
import java.util.Base64;

/** The text of a kubeconfig with one cluster, one user and one context of the same name. */
final class Kubeconfig {

  private Kubeconfig() {}

  /** A kubeconfig as YAML; name, URL and token contain no character that YAML must quote. */
  static String yaml(String name, String url, String caPem, String token) {
    return """
    apiVersion: v1
    kind: Config
    clusters:
    - name: %1$s
      cluster:
        server: %2$s
        certificate-authority-data: %3$s
    users:
    - name: %1$s
      user:
        token: "%4$s"
    contexts:
    - name: %1$s
      context:
        cluster: %1$s
        user: %1$s
        namespace: default
    current-context: %1$s
    """
        .formatted(
            name,
            url,
            Base64.getEncoder().encodeToString(caPem.getBytes(StandardCharsets.US_ASCII)),
            token);
  }
}
