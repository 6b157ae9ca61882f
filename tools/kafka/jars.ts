// The program of Apache Kafka: its jars from Maven Central, fetched once into .cache/.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const version = '4.1.2';

const oldestJava = 17;
const cache = fileURLToPath(new URL('../../.cache/', import.meta.url));
/** The folder of everything that was fetched or made once. */
export const kept = join(cache, `kafka-${version}`);
const copying = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies';

/** The class path for Java. */
export const classPath = join(kept, 'libs', '*');

export function areFetched(): boolean {
  return existsSync(kept);
}

/** Fetched next to their place and moved there, so that an incomplete program is never started. */
export function fetchJars(): void {
  if (areFetched()) return;
  refuseIfLacking();
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'build-'));
  try {
    writeFileSync(join(folder, 'pom.xml'), project());
    const args = ['--batch-mode', '--quiet', copying, '-DoutputDirectory=libs', '-DincludeScope=runtime'];
    execFileSync('mvn', args, { cwd: folder, stdio: ['ignore', 2, 2] });
    moveInto(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Another process may have been faster; its result is the same. */
function moveInto(folder: string): void {
  try {
    renameSync(folder, kept);
  } catch (error) {
    if (!areFetched()) throw error;
  }
}

function refuseIfLacking(): void {
  const java = spawnSync('java', ['-version'], { encoding: 'utf8' });
  const age = Number(/version "(\d+)/.exec(java.stderr ?? '')?.[1] ?? 0);
  const lacking = [
    ...(java.error ? ['`java` is missing'] : age < oldestJava ? [`\`java\` is Java ${age}`] : []),
    ...(spawnSync('mvn', ['--version']).error ? ['`mvn` is missing'] : []),
  ];
  if (lacking.length > 0)
    throw new Error(`Kafka ${version} needs Java ${oldestJava} or later and Maven: ${lacking.join(', ')}`);
}

/** The broker logs through SLF4J, and includes only its API, no backend. */
function project(): string {
  const dependency = (group: string, artifact: string, its: string): string =>
    `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${its}</version></dependency>`;
  return [
    '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>',
    '<groupId>icecore</groupId><artifactId>kafka</artifactId><version>0</version><dependencies>',
    dependency('org.apache.kafka', 'kafka_2.13', version),
    dependency('org.slf4j', 'slf4j-simple', '1.7.36'),
    '</dependencies></project>',
  ].join('\n');
}
