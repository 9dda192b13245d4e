package io.nodepool.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The image that the Dockerfile builds, as far as one process can have it without an engine: its
 * Java, its files, its entry point, and its user where this process may change its own.
 *
 * @param root what stands for the root of its file system
 * @param entryPoint the command on this machine
 * @param user the words before a command that let it run as the user; empty if they are not allowed
 */
record PodImage(Path root, List<String> entryPoint, List<String> user) {
  private static final String HOME = "/opt/nodepool";

  /** Builds it below a folder, which every user may read from then on. */
  static PodImage build(Path folder) throws IOException, InterruptedException {
    Path root = Files.createDirectories(folder.resolve("image"));
    for (Path path : List.of(folder, root)) {
      Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
    Path target = Path.of("target");
    Path home = root.resolve("opt/nodepool");
    Files.createDirectories(home.resolve("lib"));
    Files.copy(target.resolve("nodepool.jar"), home.resolve("nodepool.jar"));
    try (Stream<Path> libraries = Files.list(target.resolve("lib"))) {
      for (Path each : libraries.toList()) {
        Files.copy(each, home.resolve("lib").resolve(each.getFileName()));
      }
    }
    Files.copy(Path.of("deploy", "jvm.flags"), home.resolve("jvm.flags"));
    Path java = linked(root.resolve("opt/java"));
    List<String> entryPoint =
        new ArrayList<>(
            Arrays.asList(new ObjectMapper().readValue(instruction("ENTRYPOINT"), String[].class)));
    entryPoint.set(0, java.toString());
    entryPoint.replaceAll(word -> word.replace(HOME, root + HOME));
    Path programs = Files.createDirectories(home.resolve("bin"));
    for (String each : List.of("kubectl-nodepool", "launch.sh")) {
      Files.copy(Path.of("bin", each), programs.resolve(each), StandardCopyOption.COPY_ATTRIBUTES);
    }
    return new PodImage(root, List.copyOf(entryPoint), user(java));
  }

  /** A word of a command of the image, on this machine. */
  String onThisMachine(String word) {
    return word.equals("java") ? entryPoint.getFirst() : word.replace(HOME, root + HOME);
  }

  /**
   * The Java that the Dockerfile links, linked by the JDK of this process; its own Java if it
   * cannot link, as some distributions ship it.
   */
  private static Path linked(Path folder) throws IOException, InterruptedException {
    Path own = Path.of(System.getProperty("java.home"), "bin");
    Path runtime = folder.resolve("openjdk");
    Files.createDirectories(folder);
    ProcessBuilder builder =
        new ProcessBuilder("sh", "-euc", linking().replace("/runtime", runtime.toString()))
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("log").toFile());
    builder.environment().merge("PATH", own + ":", (path, bin) -> bin + path);
    if (builder.start().waitFor() != 0) {
      String said = Files.readString(folder.resolve("log"));
      assertThat(said).containsAnyOf("jlink: not found", "Error: Module ", "run-time image");
      return own.resolve("java").toRealPath();
    }
    return runtime.resolve("bin").resolve("java");
  }

  /** The commands of the Dockerfile that link Java. */
  private static String linking() throws IOException {
    String text = Files.readString(Path.of("Dockerfile"));
    int begin = text.indexOf("RUN jlink ") + "RUN ".length();
    return text.substring(begin, text.indexOf("\n\n", begin));
  }

  /** The argument of the last instruction of this name in the Dockerfile. */
  static String instruction(String name) throws IOException {
    return Files.readAllLines(Path.of("Dockerfile")).stream()
        .filter(line -> line.startsWith(name + " "))
        .reduce((_, last) -> last)
        .map(line -> line.substring(name.length() + 1))
        .orElseThrow();
  }

  private static List<String> user(Path java) throws IOException {
    String ids = instruction("USER");
    int colon = ids.indexOf(':');
    List<String> words =
        List.of(
            "setpriv",
            "--reuid=" + ids.substring(0, colon),
            "--regid=" + ids.substring(colon + 1),
            "--clear-groups",
            "--no-new-privs",
            "--bounding-set=-all");
    List<String> tried = new ArrayList<>(words);
    tried.addAll(List.of(java.toString(), "-version"));
    return succeeds(tried) ? words : List.of();
  }

  private static boolean succeeds(List<String> command) {
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      return process.waitFor(30, TimeUnit.SECONDS) && process.exitValue() == 0;
    } catch (IOException e) {
      // There is no such program, as on macOS.
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /**
   * A number that the system states about a process, such as {@code Uid} or {@code VmHWM}, the most
   * memory that it has used in KiB; empty where the system states none.
   */
  static Optional<Long> stated(ProcessHandle process, String name) throws IOException {
    Path status = Path.of("/proc", Long.toString(process.pid()), "status");
    if (!Files.exists(status)) {
      return Optional.empty();
    }
    return Files.readAllLines(status).stream()
        .filter(line -> line.startsWith(name + ":"))
        .map(line -> line.substring(name.length() + 1).strip())
        .map(line -> Long.parseLong(line.replaceFirst("\\D.*", "")))
        .findFirst();
  }

  /** Whether its processes run as its user. */
  boolean hasUser() {
    return !user.isEmpty();
  }
}
