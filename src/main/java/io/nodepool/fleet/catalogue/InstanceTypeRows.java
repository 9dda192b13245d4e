package io.nodepool.fleet.catalogue;

import io.nodepool.vocabulary.Word;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * Parses instance types from comma-separated lines. Fields contain no commas, so there is no
 * quoting.
 */
final class InstanceTypeRows {
  static final String HEADER =
      "name,gpus,gpuModel,gpuMemoryGb,vcpus,memoryKi,ephemeralStorageKi,architecture,cpuFamily,maxPods,rackSize,superchip,network,rdmaIb,zones";

  private static final List<String> COLUMNS = List.of(HEADER.split(",", -1));
  private static final Set<String> ARCHITECTURES = Set.of("amd64", "arm64");
  private static final Set<String> FLAGS = Set.of("true", "false");

  private final String source;

  InstanceTypeRows(String source) {
    this.source = source;
  }

  /** The types of a text, in its order. Fails on the first invalid line and on a duplicate name. */
  List<InstanceType> read(String text) {
    List<InstanceType> types = new ArrayList<>();
    Set<String> names = new TreeSet<>();
    boolean headed = false;
    int number = 0;
    for (String line : text.lines().toList()) {
      number++;
      if (line.isBlank() || line.startsWith("#")) {
        continue;
      }
      if (!headed) {
        require(line.equals(HEADER), number, "the header has to be '" + HEADER + "'");
        headed = true;
        continue;
      }
      InstanceType type = new Row(number, line).type();
      require(names.add(type.name()), number, "the type '" + type.name() + "' is defined twice");
      types.add(type);
    }
    return types;
  }

  private void require(boolean holds, int line, String message) {
    if (!holds) {
      throw new IllegalArgumentException(source + " line " + line + ": " + message);
    }
  }

  /** One line, split into its fields. */
  private final class Row {
    private final int number;
    private final List<String> fields;

    Row(int number, String line) {
      this.number = number;
      this.fields = Arrays.stream(line.split(",", -1)).map(String::strip).toList();
      require(
          fields.size() == COLUMNS.size(),
          number,
          "it has " + fields.size() + " fields, but a type has " + COLUMNS.size());
    }

    InstanceType type() {
      String name = text("name");
      require(!name.isEmpty(), number, "name is empty");
      int gpus = (int) count("gpus", 0, 64);
      String model = text("gpuModel");
      require(
          gpus > 0 != model.isEmpty(),
          number,
          "gpuModel has to be given exactly when there are gpus");
      return new InstanceType(
          name,
          new InstanceType.Gpus(
              gpus,
              Optional.of(model).filter(m -> !m.isEmpty()),
              (int) count("gpuMemoryGb", gpus > 0 ? 1 : 0, gpus > 0 ? 100_000 : 0)),
          new InstanceType.Resources(
              new InstanceType.Processor(
                  (int) count("vcpus", 1, 100_000),
                  text("architecture", ARCHITECTURES::contains, "amd64 or arm64"),
                  text("cpuFamily")),
              count("memoryKi", 1, Long.MAX_VALUE),
              count("ephemeralStorageKi", 1, Long.MAX_VALUE),
              (int) count("maxPods", 1, 100_000),
              (int) count("rdmaIb", 0, 100_000)),
          (int) count("rackSize", 0, 1_000),
          text("superchip", FLAGS::contains, "true or false").equals("true"),
          network(),
          zones());
    }

    private String text(String column) {
      return fields.get(COLUMNS.indexOf(column));
    }

    /** The text of a column for which a rule holds. */
    private String text(String column, Predicate<String> holds, String rule) {
      String text = text(column);
      require(
          holds.test(text), number, "%s is '%s', but has to be %s".formatted(column, text, rule));
      return text;
    }

    private long count(String column, long least, long most) {
      return Long.parseLong(
          text(
              column,
              each ->
                  each.matches("\\d{1,18}")
                      && Long.parseLong(each) >= least
                      && Long.parseLong(each) <= most,
              "a whole number from " + least + " to " + most));
    }

    private Network network() {
      String word =
          text(
              "network",
              each -> Word.of(Network.class, each).isPresent(),
              "infiniband, roce or ethernet");
      return Word.of(Network.class, word).orElseThrow();
    }

    private List<String> zones() {
      String zones = text("zones");
      return zones.isEmpty() ? List.of() : Arrays.stream(zones.split(" +")).sorted().toList();
    }
  }
}
