package io.nodepool.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ShellTest {
  @Test
  void aCommandLineIsSplitAsAShellDoes() {
    assertThat(Shell.words("kubectl patch host a --type merge -p '{\"spec\": {\"a\": 1}}'"))
        .containsExactly(
            "kubectl", "patch", "host", "a", "--type", "merge", "-p", "{\"spec\": {\"a\": 1}}");
    assertThat(Shell.words("kubectl apply -f - <<EOF\na: 1\n---\nb: '2'\nEOF"))
        .containsExactly("kubectl", "apply", "-f", "-", "a: 1\n---\nb: '2'\n");
  }
}
