#!/usr/bin/env bash
# Fetches Kafka's jars into the user's cache, and a Java runtime if there is none; prints the jars' folder. Debian.
set -euo pipefail
version=4.3.0
here=$(cd "$(dirname "$0")" && pwd)
root=${XDG_CACHE_HOME:-$HOME/.cache}/gpu-market/kafka-$version
need=()
command -v java >/dev/null || need+=(openjdk-17-jre-headless)
if [ ! -d "$root" ]; then command -v mvn >/dev/null || need+=(maven); fi
if [ ${#need[@]} -gt 0 ]; then
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends "${need[@]}" >/dev/null
fi
if [ ! -d "$root" ]; then
  mkdir -p "$(dirname "$root")"
  fetched=$(mktemp -d "$root.XXXXXX")
  trap 'rm -rf "$fetched"' EXIT
  cat >"$fetched/pom.xml" <<POM
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>gpu-market</groupId><artifactId>broker</artifactId><version>1</version>
  <dependencies>
    <dependency><groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>$version</version></dependency>
  </dependencies>
</project>
POM
  mvn --quiet --batch-mode --file "$fetched/pom.xml" \
    org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies \
    -DincludeScope=runtime -DoutputDirectory="$fetched/jars" >&2
  (cd "$fetched/jars" && sha256sum --check --quiet --strict "$here/kafka.sha256") >&2
  [ "$(find "$fetched/jars" -name '*.jar' | wc -l)" = "$(wc -l <"$here/kafka.sha256")" ]
  # Whoever was faster has put the same there.
  mv --no-target-directory "$fetched/jars" "$root" 2>/dev/null || [ -d "$root" ]
fi
echo "$root"
