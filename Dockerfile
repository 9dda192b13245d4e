# The nodepool command: the operator, the data centre, and the CRDs. Built from the sources, run without root.
FROM --platform=$BUILDPLATFORM maven:3-eclipse-temurin-25@sha256:93b8a14ea2f412782e4e842651273b4d903e35cc496284f178fbbe2d67d00976 AS build
WORKDIR /build
COPY pom.xml ./
COPY src/main src/main
COPY crds crds
COPY deploy/data-centre.yaml deploy/admission.yaml deploy/interruptible-priority.yaml deploy/
COPY hack/control-plane/go.mod hack/control-plane/go.sum hack/control-plane/
ARG VERSION=0.1.0-SNAPSHOT
ARG REVISION=
# The code is checked in CI; here the tools would only have to be downloaded.
RUN --mount=type=cache,target=/root/.m2 \
    mvn -B -ntp -Pquick -Dmaven.test.skip=true -Drevision="$VERSION" -Dcommit="$REVISION" package

# Java with no other modules than the program uses, and the archive of its classes. It is linked on the platform that it is
# for: a JDK links no other. What the libraries can use besides (java.desktop, java.sql, jdk.localedata) they do without.
FROM maven:3-eclipse-temurin-25@sha256:93b8a14ea2f412782e4e842651273b4d903e35cc496284f178fbbe2d67d00976 AS java
RUN jlink --no-header-files --no-man-pages --output /runtime --add-modules \
      java.base,java.logging,java.management,java.naming,java.net.http,java.xml,jdk.httpserver,jdk.management,jdk.unsupported \
 && /runtime/bin/java -Xshare:dump

# The C library, and neither a shell nor a package manager: kubectl debug brings a shell along.
FROM gcr.io/distroless/base-nossl-debian13:nonroot@sha256:5cab74e7f8a5e7c5f1c8a9e6268b1f352f053c36c656f493308340bcecbc636c
ENV JAVA_HOME=/opt/java/openjdk \
    PATH=/opt/java/openjdk/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    LANG=C.UTF-8
COPY --from=java /runtime /opt/java/openjdk
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
