package io.nodepool;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.LineMap;
import com.sun.source.tree.MethodTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreeScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;

/** How long files and methods of main are: one that is longer has two jobs. */
class SizesTest {
  private static final Path MAIN = Path.of("src/main/java");
  private static final int LINES_OF_FILE = 350;
  private static final int LINES_OF_METHOD = 60;

  @Test
  void noFileIsTooLong() throws IOException {
    Map<String, Long> tooLong = new TreeMap<>();
    for (Path file : files()) {
      try (var lines = Files.lines(file)) {
        tooLong.put(file.getFileName().toString(), lines.count());
      }
    }
    assertThat(tooLong).hasSizeGreaterThan(800);
    tooLong.values().removeIf(count -> count <= LINES_OF_FILE);
    assertThat(tooLong).isEmpty();
  }

  @Test
  void noMethodIsTooLong() throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    try (var manager = compiler.getStandardFileManager(null, null, null)) {
      JavacTask task =
          (JavacTask)
              compiler.getTask(
                  null,
                  manager,
                  null,
                  List.of("-proc:none"),
                  null,
                  manager.getJavaFileObjectsFromPaths(files()));
      MethodLengths lengths = new MethodLengths(Trees.instance(task).getSourcePositions());
      task.parse().forEach(lengths::read);
      assertThat(lengths.found).hasSizeGreaterThan(5000);
      lengths.found.values().removeIf(count -> count <= LINES_OF_METHOD);
      assertThat(lengths.found).isEmpty();
    }
  }

  private static List<Path> files() throws IOException {
    try (var files = Files.walk(MAIN)) {
      return files
          .filter(file -> file.toString().endsWith(".java"))
          .sorted(Comparator.naturalOrder())
          .toList();
    }
  }

  /** The lines of each method from its modifiers to its closing brace, without its docstring. */
  private static final class MethodLengths extends TreeScanner<Void, CompilationUnitTree> {
    private final SourcePositions positions;
    private final Map<String, Long> found = new TreeMap<>();

    private MethodLengths(SourcePositions positions) {
      this.positions = positions;
    }

    private void read(CompilationUnitTree unit) {
      scan(unit, unit);
    }

    @Override
    public Void visitMethod(MethodTree method, CompilationUnitTree unit) {
      LineMap lines = unit.getLineMap();
      long first = lines.getLineNumber(positions.getStartPosition(unit, method));
      long last = lines.getLineNumber(positions.getEndPosition(unit, method));
      String file = Path.of(unit.getSourceFile().toUri()).getFileName().toString();
      found.put("%s:%d %s".formatted(file, first, method.getName()), last - first + 1);
      return super.visitMethod(method, unit);
    }
  }
}
