package io.nodepool.kubernetes.api;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The source of a test class: which of its tests assert something about a name. */
final class TestCode {
  private static final Path ROOT = Path.of("src", "test", "java");

  private static final Map<String, TestCode> READ = new ConcurrentHashMap<>();

  /** A text, a character or a comment. */
  private static final Pattern TOKEN =
      Pattern.compile(
          "(?s)\"\"\".*?\"\"\"|\"(?:\\\\.|[^\"\\\\\n])*+\"|'(?:\\\\.|[^'\\\\])'|//[^\n]*|/\\*.*?\\*/");

  /** The head of a method of the class itself, as it is formatted. */
  private static final Pattern METHOD =
      Pattern.compile("(?m)^ {2}(?! )(?:[\\w.<>\\[\\],?& ]+ )?(\\w+)\\([^;{}]*\\)[^;{}=]*\\{");

  private static final Pattern TEST = Pattern.compile("@(Parameterized|Repeated)?Test\\b");
  private static final Pattern ASSERTION = Pattern.compile("\\bassert\\w*\\(");

  /** An assertion that something is not there shows nothing of it. */
  private static final Pattern ABSENCE =
      Pattern.compile(
          "\\.(?:isZero|isEmpty|isNull|isFalse|isNotEqual\\w*|doesNot\\w+|none\\w+)\\(");

  private static final Pattern NEVER = Pattern.compile("\\.never\\w+\\([^()]*\\)");
  private static final Pattern RESOURCE = Pattern.compile("\"(src/test/resources/[^\"]+)\"");

  /** Whose methods assert. */
  private static final String POOL = "PoolUnderTest";

  /**
   * A method.
   *
   * @param head what precedes its body, with its annotations
   * @param bones the body without its texts, as long as it
   */
  private record Method(String name, String head, String body, String bones) {
    boolean isTest() {
      return TEST.matcher(head).find();
    }

    boolean calls(String other) {
      return Pattern.compile("(?<!\\w)" + other + "\\(|::" + other + "\\b").matcher(bones).find();
    }

    /** Its statements, more or less: what is between semicolons. */
    List<String> statements() {
      List<String> statements = new ArrayList<>();
      int begin = 0;
      for (int end = bones.indexOf(';'); end >= 0; end = bones.indexOf(';', begin)) {
        statements.add(NEVER.matcher(body.substring(begin, end)).replaceAll(""));
        begin = end + 1;
      }
      return statements;
    }
  }

  private final String name;
  private final String code;
  private final List<Method> methods = new ArrayList<>();
  private final Set<String> asserting = new TreeSet<>();

  private TestCode(Path file) {
    this.name = className(file);
    String source = read(file);
    this.code = blank(source, Set.of('/'));
    String bones = blank(source, Set.of('/', '"', '\''));
    Matcher head = METHOD.matcher(bones);
    while (head.find()) {
      int end = end(bones, head.end() - 1);
      int before = code.lastIndexOf("\n\n", head.start());
      methods.add(
          new Method(
              head.group(1),
              code.substring(Math.max(before, 0), head.end()),
              code.substring(head.end(), end),
              bones.substring(head.end(), end)));
    }
    if (code.contains(POOL) && !name.equals(POOL)) {
      asserting.addAll(of(POOL).asserting);
    }
    for (int size = -1; size < asserting.size(); ) {
      size = asserting.size();
      methods.stream()
          .filter(method -> !method.isTest() && asserts(method.body()))
          .forEach(method -> asserting.add(method.name()));
    }
  }

  /** The class of this simple name. */
  static TestCode of(String name) {
    TestCode read = READ.get(name);
    return read == null ? find(name) : read;
  }

  private static TestCode find(String name) {
    List<Path> files = files().stream().filter(file -> className(file).equals(name)).toList();
    if (files.size() != 1) {
      throw new AssertionError("%d classes %s are in %s".formatted(files.size(), name, ROOT));
    }
    TestCode code = new TestCode(files.getFirst());
    READ.put(name, code);
    return code;
  }

  /** The texts in code, with their quotes. */
  static Stream<String> texts(String code) {
    return TOKEN
        .matcher(code)
        .results()
        .map(MatchResult::group)
        .filter(each -> each.startsWith("\""));
  }

  /** The tests that assert something about the name, as {@code Class#method}. */
  static List<String> showing(Predicate<String> mentions) {
    return files().stream()
        .filter(file -> mentions.test(read(file)))
        .map(TestCode::new)
        .flatMap(each ->
            each.methods.stream()
                .map(Method::name)
                .distinct()
                .filter(method -> each.shows(method, "", mentions))
                .map(method -> each.name + "#" + method))
        .toList();
  }

  /**
   * Whether a test asserts something about what is mentioned: in one statement of it or of the
   * methods that it calls, or in its table of cases.
   *
   * @param expected what has the names that the test expects: a method or a constant of its class,
   *     or another class with the files that it reads; empty if the test has them itself
   */
  boolean shows(String test, String expected, Predicate<String> mentions) {
    List<Method> all = withCalled(test);
    if (all.stream().noneMatch(Method::isTest)
        || all.stream().noneMatch(method -> asserts(method.body()))) {
      return false;
    }
    if (expected.isEmpty()) {
      return all.stream()
          .anyMatch(method ->
              (method.isTest() && mentions.test(method.head()))
                  || method.statements().stream()
                      .anyMatch(statement ->
                          mentions.test(statement)
                              && asserts(statement)
                              && !ABSENCE.matcher(statement).find()));
    }
    Predicate<String> names = Pattern.compile("\\b" + expected + "\\b").asPredicate();
    return all.stream().anyMatch(method -> names.test(method.head() + method.body()))
        && mentions.test(textOf(expected));
  }

  private String textOf(String expected) {
    List<Method> own = named(expected);
    if (!own.isEmpty()) {
      return String.join("\n", own.stream().map(Method::body).toList());
    }
    Matcher constant = Pattern.compile("\\b%s\\s*=[^;]*;".formatted(expected)).matcher(code);
    if (constant.find()) {
      return constant.group();
    }
    StringBuilder text = new StringBuilder(of(expected).code);
    Matcher resource = RESOURCE.matcher(text.toString());
    while (resource.find()) {
      // Each word of it is a text.
      text.append(read(Path.of(resource.group(1))).replaceAll("([\\w/.-]+)", "\"$1\""));
    }
    return text.toString();
  }

  private List<Method> named(String method) {
    return methods.stream().filter(each -> each.name().equals(method)).toList();
  }

  /** The method, and those of the class that it calls. */
  private List<Method> withCalled(String method) {
    Map<String, List<Method>> found = new TreeMap<>();
    Deque<String> next = new ArrayDeque<>(List.of(method));
    while (!next.isEmpty()) {
      List<Method> these = named(next.pop());
      for (Method each : these) {
        if (found.put(each.name(), these) == null) {
          methods.stream()
              .filter(other -> !other.isTest() && each.calls(other.name()))
              .forEach(other -> next.add(other.name()));
        }
      }
    }
    return found.values().stream().flatMap(List::stream).toList();
  }

  private boolean asserts(String statement) {
    return ASSERTION.matcher(statement).find()
        || asserting.stream()
            .anyMatch(verb -> Pattern.compile("(?<!\\w)" + verb + "\\(").matcher(statement).find());
  }

  /** The place of the brace that closes the one here. */
  private static int end(String bones, int open) {
    int depth = 0;
    for (int i = open; i < bones.length(); i++) {
      depth += bones.charAt(i) == '{' ? 1 : bones.charAt(i) == '}' ? -1 : 0;
      if (depth == 0) {
        return i;
      }
    }
    throw new AssertionError("a brace is not closed");
  }

  /** The source with blanks for the tokens that begin so. */
  private static String blank(String source, Set<Character> begins) {
    return TOKEN
        .matcher(source)
        .replaceAll(token ->
            Matcher.quoteReplacement(
                begins.contains(token.group().charAt(0))
                    ? token.group().replaceAll("[^\n]", " ")
                    : token.group()));
  }

  private static String className(Path file) {
    return file.getFileName().toString().replace(".java", "");
  }

  private static List<Path> files() {
    try (Stream<Path> files = Files.walk(ROOT)) {
      return files.filter(file -> file.toString().endsWith(".java")).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
