package io.nodepool.health.catalogue;

import io.nodepool.vocabulary.UserText;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;

/**
 * A part of a YAML document that knows its line. It is read as written, without tags, anchors and
 * custom types, so that a text cannot grow. Every mistake is an {@link IllegalArgumentException}
 * whose message names the document and the line.
 *
 * @param source the name of the document, for messages
 * @param what a description of the part, for messages
 */
record YamlPart(String source, String what, Node node) {
  /**
   * A whole document.
   *
   * @param source the name of the document in messages
   * @param longest the greatest number of characters that it may have
   */
  static YamlPart document(String source, String text, int longest) {
    if (text.length() > longest) {
      throw new IllegalArgumentException(
          "%s has %d characters; at most %d are allowed."
              .formatted(source, text.length(), longest));
    }
    LoaderOptions options = new LoaderOptions();
    options.setCodePointLimit(longest);
    Node root;
    try {
      root = new Yaml(options).compose(new StringReader(text));
    } catch (MarkedYAMLException e) {
      throw new IllegalArgumentException(
          "%s%s is no YAML: %s."
              .formatted(
                  source,
                  e.getProblemMark() == null ? "" : " line " + (e.getProblemMark().getLine() + 1),
                  UserText.explanation(
                      e.getContext() == null
                          ? e.getProblem()
                          : e.getContext() + " " + e.getProblem())),
          e);
    } catch (YAMLException e) {
      throw new IllegalArgumentException(
          "%s is no YAML: %s."
              .formatted(source, UserText.explanation(String.valueOf(e.getMessage()))),
          e);
    }
    if (root == null) {
      throw new IllegalArgumentException(
          "%s is empty; it must have the field alerts.".formatted(source));
    }
    return new YamlPart(source, "the document", root);
  }

  /** An exception that reports a mistake in this part. */
  IllegalArgumentException wrong(String message) {
    return new IllegalArgumentException(
        "%s line %d: %s".formatted(source, node.getStartMark().getLine() + 1, message));
  }

  /** The parts of a mapping by their keys, in their order. */
  Map<String, YamlPart> fields() {
    if (!(plain() instanceof MappingNode mapping)) {
      throw wrong("%s must be a mapping, such as \"name: value\".".formatted(what));
    }
    Map<String, YamlPart> fields = new LinkedHashMap<>();
    for (NodeTuple tuple : mapping.getValue()) {
      YamlPart key = new YamlPart(source, "a key of " + what, tuple.getKeyNode());
      String name = key.scalar();
      if (fields.put(name, new YamlPart(source, name + " of " + what, tuple.getValueNode()))
          != null) {
        throw key.wrong("%s is there twice in %s.".formatted(UserText.quoted(name), what));
      }
    }
    return fields;
  }

  /** This part under another name in messages. */
  YamlPart named(String name) {
    return new YamlPart(source, name, node);
  }

  /** The elements of a list, in their order. */
  List<YamlPart> elements() {
    if (!(plain() instanceof SequenceNode sequence)) {
      throw wrong("%s must be a list, such as [a, b].".formatted(what));
    }
    List<YamlPart> elements = new ArrayList<>();
    sequence
        .getValue()
        .forEach(element -> elements.add(new YamlPart(source, "an element of " + what, element)));
    return elements;
  }

  /**
   * A text on one line: breaks and rows of blanks become one blank.
   *
   * @param longest the greatest number of characters that it may have
   */
  String text(int longest) {
    String text = scalar().strip().replaceAll("\\s+", " ");
    if (!plain().getTag().equals(Tag.STR)) {
      throw wrong("%s must be a text; put it in quotation marks.".formatted(what));
    }
    if (text.isEmpty() || text.length() > longest) {
      throw wrong(
          "%s has %d characters; it must have from 1 to %d."
              .formatted(what, text.length(), longest));
    }
    if (UserText.CONTROL.matcher(text).find()) {
      throw wrong("%s contains characters that control a terminal.".formatted(what));
    }
    return text;
  }

  /** True or false. */
  boolean flag() {
    return switch (scalar()) {
      case "true" -> true;
      case "false" -> false;
      default -> throw wrong("%s must be true or false.".formatted(what));
    };
  }

  /** A single value as it is written. */
  String scalar() {
    if (!(plain() instanceof ScalarNode scalar)) {
      throw wrong("%s must be a single value.".formatted(what));
    }
    return scalar.getValue();
  }

  /** The node; fails if it has an anchor or a tag, by which a text can grow or change. */
  private Node plain() {
    if (node.getAnchor() != null) {
      throw wrong("%s has an anchor; write it out.".formatted(what));
    }
    boolean tagged =
        switch (node) {
          case MappingNode mapping -> !mapping.getTag().equals(Tag.MAP);
          case SequenceNode sequence -> !sequence.getTag().equals(Tag.SEQ);
          default -> !node.getTag().startsWith(Tag.PREFIX);
        };
    if (tagged) {
      throw wrong("%s has a tag; write it without.".formatted(what));
    }
    return node;
  }
}
