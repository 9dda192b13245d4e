package io.nodepool.plugin.input;

import io.nodepool.cli.input.OptionValues;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Names of objects, with or without their kind, as {@code -o name} prints them. */
public abstract sealed class NameOf implements ITypeConverter<String> {
  private static final List<String> POOLS =
      List.of("nodepool", "np", "nodepools", "nodepool.compute.coreweave.com");

  private static final List<String> NODES = List.of("node", "no", "nodes");

  private final String what;
  private final List<String> kinds;

  private NameOf(String what, List<String> kinds) {
    this.what = what;
    this.kinds = kinds;
  }

  /** Names of NodePools. */
  public static final class OnePool extends NameOf {
    /** For picocli. */
    public OnePool() {
      super("a NodePool", POOLS);
    }
  }

  /** Names of NodePools, or of racks with any characters. */
  public static final class PoolOrRack extends NameOf {
    /** For picocli. */
    public PoolOrRack() {
      super("a NodePool or a rack", POOLS);
    }

    @Override
    public String convert(String text) {
      return text.contains("/") ? super.convert(text) : text;
    }
  }

  /** Names of NodePools or of Nodes. */
  public static final class PoolOrNode extends NameOf {
    /** For picocli. */
    public PoolOrNode() {
      super("a NodePool or a Node", Stream.of(POOLS, NODES).flatMap(List::stream).toList());
    }
  }

  /** Names of Nodes. */
  public static final class OneNode extends NameOf {
    /** For picocli. */
    public OneNode() {
      super("a Node", NODES);
    }
  }

  /** Names of Hosts. */
  public static final class OneHost extends NameOf {
    /** For picocli. */
    public OneHost() {
      super("a Host", List.of("host", "hosts", "host.fleet.nodepool.io"));
    }
  }

  @Override
  public String convert(String text) {
    int slash = text.indexOf('/');
    if (slash >= 0 && !kinds.contains(text.substring(0, slash))) {
      throw new TypeConversionException("\"%s\" is not the name of %s".formatted(text, what));
    }
    return new OptionValues.OfName().convert(text.substring(slash + 1));
  }
}
