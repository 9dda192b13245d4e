# The nodepool command: the operator, the data centre, and the CRDs. Built from the sources, run without root.
FROM --platform=$BUILDPLATFORM maven:3-eclipse-temurin-25@sha256:93b8a14ea2f412782e4e842651273b4d903e35cc496284f178fbbe2d67d00976 AS build
WORKDIR /build
COPY pom.xml ./
COPY src/main src/main
COPY crds crds
COPY deploy/data-centre.yaml deploy/admission.yaml deploy/
COPY hack/control-plane/go.mod hack/control-plane/go.sum hack/control-plane/
ARG VERSION=0.1.0-SNAPSHOT
ARG REVISION=
# The code is checked in CI; here the tools would only have to be downloaded.
RUN --mount=type=cache,target=/root/.m2 \
    mvn -B -ntp -Pquick -Dmaven.test.skip=true -Drevision="$VERSION" -Dcommit="$REVISION" package

FROM eclipse-temurin:25-jre@sha256:5cf92df78f6dba978777d5cffa3c856e583f86814fde82a6c3534ccdfd794f2f
# The libraries are a separate layer: they change less often than the program.
COPY --from=build /build/target/lib /opt/nodepool/lib
COPY --from=build /build/target/nodepool.jar /opt/nodepool/nodepool.jar
COPY deploy/jvm.flags /opt/nodepool/jvm.flags
# The kubectl plugin, for those who copy it out of the image.
COPY bin/kubectl-nodepool bin/kubectl_complete-nodepool bin/launch.sh /opt/nodepool/bin/
ARG VERSION=0.1.0-SNAPSHOT
ARG REVISION=
ARG SOURCE=
LABEL org.opencontainers.image.title="nodepool-operator" \
      org.opencontainers.image.description="Node pools over a bare-metal fleet: the operator, and a simulated data centre." \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$REVISION" \
      org.opencontainers.image.source="$SOURCE"
USER 65532:65532
EXPOSE 8080
# Nothing is written, so the root file system may be read-only. Besides the heap the JVM needs some 150 MB.
# Options in the variable JDK_JAVA_OPTIONS override those of the file (decision 324); they would not override any of the command line.
ENTRYPOINT ["java", "-XX:Flags=/opt/nodepool/jvm.flags", "-jar", "/opt/nodepool/nodepool.jar"]
CMD ["--help"]
