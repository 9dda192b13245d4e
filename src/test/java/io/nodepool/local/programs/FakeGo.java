package io.nodepool.local.programs;

import io.nodepool.local.Scripts;
import java.io.IOException;
import java.nio.file.Path;

/** A fake Go command that reports forty packages and creates four scripts. */
final class FakeGo {

  private FakeGo() {}

  /** Writes the command; the shell code runs at the start of every {@code go install}. */
  static Path write(Path file, String atInstall) throws IOException {
    return Scripts.write(
        file,
        """
        packages() { i=0; while [ $i -lt 40 ]; do i=$((i + 1)); echo "example.com/package/$i"; done; }
        echo "go: downloading example.com/module v1.2.3" >&2
        test -f go.mod && test -f go.sum || exit 9
        case $1 in
          list)
            packages ;;
          install)
            mkdir -p "$GOCACHE" && echo large >"$GOCACHE/compiled"
            %s
            packages >&2
            for program in server kube-apiserver kube-controller-manager kube-scheduler; do
              printf '#!/bin/sh\\n' >"$GOBIN/$program" && chmod +x "$GOBIN/$program"
            done ;;
        esac
        """
            .formatted(atInstall));
  }
}
