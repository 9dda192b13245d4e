package io.nodepool.local.programs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The Go module, packaged with this program, from which the control plane is built. */
public final class ControlPlaneModules {

  private ControlPlaneModules() {}

  /**
   * The version of Kubernetes that the module requires, such as {@code v1.34.4}. The module is the
   * only source of this version.
   */
  public static String kubernetesVersion() {
    return required("k8s.io/kubernetes");
  }

  /** The version of etcd that the module requires, such as {@code v3.6.4}. */
  static String etcdVersion() {
    return required("go.etcd.io/etcd/server/v3");
  }

  /**
   * The linker flags that strip the programs and set their version; without a version kubectl
   * cannot parse the server's response.
   */
  static String linkerFlags() {
    String version = kubernetesVersion();
    List<String> numbers = List.of(version.substring(1).split("\\.", -1));
    String variable = " -X k8s.io/component-base/version.";
    return "-s -w"
        + variable
        + ("gitVersion=" + version)
        + variable
        + ("gitMajor=" + numbers.get(0))
        + variable
        + ("gitMinor=" + numbers.get(1));
  }

  /** Writes {@code go.mod} and {@code go.sum} into an existing folder. */
  static void writeTo(Path folder) throws IOException {
    for (String name : new String[] {"go.mod", "go.sum"}) {
      Files.writeString(folder.resolve(name), read(name));
    }
  }

  private static String required(String module) {
    String line = "(?m)^\\s*%s (v\\d+\\.\\d+\\.\\d+)".formatted(Pattern.quote(module));
    Matcher found = Pattern.compile(line).matcher(read("go.mod"));
    if (!found.find()) {
      throw new IllegalStateException("the packaged go.mod does not require " + module);
    }
    return found.group(1);
  }

  private static String read(String name) {
    return Packaged.text("/control-plane/" + name);
  }
}
