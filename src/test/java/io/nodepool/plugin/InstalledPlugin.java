package io.nodepool.plugin;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The program as it is installed, of the classes under test: bin, nodepool.jar and lib. */
final class InstalledPlugin {
  private static final String SCRIPT = "kubectl-nodepool";

  /** The result of a command. */
  record Result(int code, String out, String err) {}

  private final Path folder;
  private final Path home;
  private final Path path;
  private final Map<String, String> environment = new TreeMap<>();

  InstalledPlugin(Path folder, String kubeconfig) throws IOException {
    this.folder = folder;
    home = folder.resolve("installed");
    path = Files.createDirectories(folder.resolve("path"));
    Files.createDirectories(home.resolve("bin"));
    Files.createDirectories(home.resolve("lib"));
    for (String script : List.of(SCRIPT, "launch.sh")) {
      Path copy = Files.copy(Path.of("bin", script), home.resolve("bin").resolve(script));
      copy.toFile().setExecutable(Files.isExecutable(Path.of("bin", script)));
    }
    writeJar(home.resolve("nodepool.jar"));
    environment.put("PATH", path + File.pathSeparator + System.getenv("PATH"));
    environment.put("KUBECONFIG", "" + Files.writeString(folder.resolve("kubeconfig"), kubeconfig));
    environment.put("XDG_CACHE_HOME", "" + cache());
    environment.put("HOME", "" + folder);
    environment.put("JAVA_HOME", System.getProperty("java.home"));
  }

  /** The directory of the caches of this user. */
  Path cache() {
    return folder.resolve("cache");
  }

  Path home() {
    return home;
  }

  /** Sets a variable of the environment of the next commands. */
  void set(String variable, String value) {
    environment.put(variable, value);
  }

  /** Installs the plugin by a link, or by a copy of the one file. */
  void install(boolean link) throws IOException {
    Path installed = path.resolve(SCRIPT);
    Files.deleteIfExists(installed);
    if (link) {
      Files.createSymbolicLink(installed, home.resolve("bin").resolve(SCRIPT));
    } else {
      Files.copy(home.resolve("bin").resolve(SCRIPT), installed);
      installed.toFile().setExecutable(true);
    }
  }

  /** Runs {@code kubectl nodepool node} with these words, or the plugin itself without kubectl. */
  Result run(String... words) throws IOException, InterruptedException {
    List<String> all = new ArrayList<>(List.of("node"));
    all.addAll(List.of(words));
    return command(all);
  }

  /** Runs {@code kubectl nodepool} with these words, or the plugin itself without kubectl. */
  Result command(List<String> words) throws IOException, InterruptedException {
    boolean hasKubectl =
        Stream.of(System.getenv("PATH").split(File.pathSeparator))
            .anyMatch(each -> Files.isExecutable(Path.of(each, "kubectl")));
    List<String> command =
        new ArrayList<>(
            hasKubectl ? List.of("kubectl", "nodepool") : List.of("" + path.resolve(SCRIPT)));
    command.addAll(words);
    Path out = folder.resolve("out");
    Path err = folder.resolve("err");
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile());
    builder.environment().remove("NODEPOOL_HOME");
    builder.environment().putAll(environment);
    Process process = builder.start();
    process.getOutputStream().close();
    return new Result(process.waitFor(), Files.readString(out), Files.readString(err));
  }

  private static void writeJar(Path jar) throws IOException {
    Path classes =
        Path.of(
            URI.create(
                "" + KubectlPlugin.class.getProtectionDomain().getCodeSource().getLocation()));
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest
        .getMainAttributes()
        .put(
            Attributes.Name.CLASS_PATH,
            Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> entry.endsWith(".jar"))
                .map(entry -> Path.of(entry).toUri().toString())
                .collect(Collectors.joining(" ")));
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar), manifest);
        Stream<Path> files = Files.walk(classes)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        String name = classes.relativize(file).toString().replace(File.separatorChar, '/');
        if (!name.startsWith("META-INF/MANIFEST")) {
          out.putNextEntry(new JarEntry(name));
          Files.copy(file, out);
        }
      }
    }
  }
}
