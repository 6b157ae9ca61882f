// What of docker-compose.yml can be checked without an engine; compose.system.test.ts hands its settings to a real broker, and
// to a real store of blobs.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { composedPlaces } from '../src/library/place/init.ts';
import { version as kafkaVersion } from '../tools/kafka/jars.ts';
import { root } from '../tools/nodes.ts';
import { composed, type Service } from './compose.ts';

describe('docker-compose.yml', () => {
  const { services, volumes } = composed();
  const all = Object.entries(services);
  const { kurrentdb, kafka, blobs, vllm } = services;
  const readIn = (path: string): string => readFileSync(join(root, path), 'utf8');

  it('runs what icecore is tested with, where that can be run without it', () => {
    expect(kafka?.image).toBe(`apache/kafka:${kafkaVersion}`);
    const [, gateway] = /^const version = '(.*)';$/m.exec(readIn('tools/s3-server.ts')) ?? [];
    expect(blobs?.image).toBe(`versity/versitygw:v${gateway}`);
  });

  it('starts where a ledger is, and blobs and models for who asks', () => {
    const started = all.map(([name, { profiles = [] }]) => [name, ...profiles]);
    expect(started).toEqual([['kurrentdb'], ['kafka'], ['blobs', 'blobs'], ['vllm', 'models']]);
  });

  it.each(all)('pins %s to one version', (_, { image }) => {
    expect(image).toMatch(/^[a-z0-9./-]+:v?\d+\.\d+\.\d+[a-z0-9.-]*$/);
  });

  it.each(all)('lets only this machine reach %s', (_, { ports }) => {
    expect(ports).not.toHaveLength(0);
    for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:\d+:\d+$/);
  });

  it.each(all)('knows whether %s is well, soon after its start', (_, { healthcheck }) => {
    expect(healthcheck).toEqual({
      test: ['CMD-SHELL', expect.any(String)],
      interval: expect.any(String),
      timeout: expect.any(String),
      retries: expect.any(Number),
      start_period: expect.any(String),
      start_interval: expect.any(String),
    });
  });

  it('asks each where it listens', () => {
    for (const [name, { ports, healthcheck }] of all) {
      const [inside] = /\d+$/.exec(ports[0] ?? '') ?? [];
      expect([name, JSON.stringify(healthcheck)]).toEqual([name, expect.stringContaining(`127.0.0.1:${inside}`)]);
    }
  });

  it('keeps what they write when a container is replaced, each in a volume of its own', () => {
    const mounts = all.flatMap(([name, service]) => service.volumes.map((mount) => [name, ...mount.split(':')]));
    expect(mounts).toEqual([
      ['kurrentdb', 'kurrentdb', '/var/lib/kurrentdb'],
      ['kafka', 'kafka', kafka?.environment['KAFKA_LOG_DIRS']],
      // The folder of a bucket.
      ['blobs', 'blobs', `${blobs?.environment['VGW_BACKEND_ARG']}/icecore`],
      ['vllm', 'models', '/root/.cache/huggingface'],
    ]);
    expect(Object.keys(volumes)).toEqual(mounts.map(([, volume]) => volume));
  });

  it.each(all)('gives %s settings that a compose file may have: texts and numbers', (_, { environment }) => {
    for (const value of Object.values(environment)) expect(typeof value).toMatch(/^(string|number)$/);
  });

  it('gives Kafka more memory than its heap', () => {
    const [heap] = /(?<=-Xmx)\d+(?=g)/.exec(String(kafka?.environment['KAFKA_HEAP_OPTS'])) ?? [];
    expect(Number.parseInt(kafka?.mem_limit ?? '', 10)).toBeGreaterThan(Number(heap));
  });

  it('removes no history', () => {
    expect(kafka?.environment).toMatchObject({ KAFKA_LOG_RETENTION_MS: -1, KAFKA_LOG_RETENTION_BYTES: -1 });
    expect(kurrentdb?.environment).not.toHaveProperty('KURRENTDB_MEM_DB');
  });

  it('has nobody report to the makers', () => {
    expect(kurrentdb?.environment).toMatchObject({ KURRENTDB_TELEMETRY_OPTOUT: 'true' });
    expect(vllm?.environment).toMatchObject({ VLLM_NO_USAGE_STATS: 1, HF_HUB_DISABLE_TELEMETRY: 1 });
  });

  it('is where `icecore init --split` looks, and where docs/servers.md says', () => {
    const [decisions, evidence] = composedPlaces('lab');
    const at = (service: Service | undefined): string => service?.ports[0]?.split(':')[1] ?? '';
    expect([decisions, evidence]).toEqual([
      `esdb://localhost:${at(kurrentdb)}/lab?tls=false`,
      `kafka://localhost:${at(kafka)}/lab`,
    ]);
    const page = readIn('docs/servers.md');
    const bucket = `s3://icecore/lab?endpoint=http://localhost:${at(blobs)}`;
    for (const place of [decisions, evidence, bucket, `http://localhost:${at(vllm)}/v1`]) expect(page).toContain(place);
    for (const variable of ['ROOT_ACCESS_KEY_ID', 'ROOT_SECRET_ACCESS_KEY'])
      expect(page).toContain(`=${blobs?.environment[variable]}`);
  });

  it('gives the model a GPU, and the name by which it is asked', () => {
    const gpu = { driver: 'nvidia', count: 1, capabilities: ['gpu'] };
    expect(vllm?.deploy).toEqual({ resources: { reservations: { devices: [gpu] } } });
    const [model] = vllm?.command ?? [];
    expect(readIn('docs/models.md')).toContain(`"base": "${model}"`);
  });
});
