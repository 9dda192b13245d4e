package io.nodepool.local.programs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The Go module, packaged with this program, from which the control plane is built. */
public final class ControlPlaneModules {

  private static final Pattern REQUIRED_KUBERNETES =
      Pattern.compile("(?m)^\\s*k8s\\.io/kubernetes (v(\\d+)\\.(\\d+)\\.\\d+)");

  private static final Pattern REQUIRED_ETCD =
      Pattern.compile("(?m)^\\s*go\\.etcd\\.io/etcd/server/v3 (v\\d+\\.\\d+\\.\\d+)");

  private ControlPlaneModules() {}

  /**
   * The version of Kubernetes that the module requires, such as {@code v1.34.4}. The module is the
   * only source of this version.
   */
  public static String kubernetesVersion() {
    return requiredKubernetes().group(1);
  }

  /** The version of etcd that the module requires, such as {@code v3.6.4}. */
  static String etcdVersion() {
    Matcher required = REQUIRED_ETCD.matcher(read("go.mod"));
    if (!required.find()) {
      throw new IllegalStateException("the packaged go.mod does not require go.etcd.io/etcd");
    }
    return required.group(1);
  }

  /**
   * The linker flags that strip the programs and set their version; without a version kubectl
   * cannot parse the server's response.
   */
  static String linkerFlags() {
    Matcher required = requiredKubernetes();
    String variable = " -X k8s.io/component-base/version.";
    return "-s -w"
        + variable
        + ("gitVersion=" + required.group(1))
        + variable
        + ("gitMajor=" + required.group(2))
        + variable
        + ("gitMinor=" + required.group(3));
  }

  /** Writes {@code go.mod} and {@code go.sum} into an existing folder. */
  static void writeTo(Path folder) throws IOException {
    for (String name : new String[] {"go.mod", "go.sum"}) {
      Files.writeString(folder.resolve(name), read(name));
    }
  }

  private static Matcher requiredKubernetes() {
    Matcher required = REQUIRED_KUBERNETES.matcher(read("go.mod"));
    if (!required.find()) {
      throw new IllegalStateException("the packaged go.mod does not require k8s.io/kubernetes");
    }
    return required;
  }

  private static String read(String name) {
    return Packaged.text("/control-plane/" + name);
  }
}
