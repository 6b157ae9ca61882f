// Checks of docker-compose.yml without a container engine; compose.system.test.ts tests its settings with a real broker and blob store.
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

  it('uses the versions icecore is tested with', () => {
    expect(kafka?.image).toBe(`apache/kafka:${kafkaVersion}`);
    const [, gateway] = /^const version = '(.*)';$/m.exec(readIn('tools/s3-server.ts')) ?? [];
    expect(blobs?.image).toBe(`versity/versitygw:v${gateway}`);
  });

  it('starts the stores of a ledger, and blobs and models on request', () => {
    const started = all.map(([name, { profiles = [] }]) => [name, ...profiles]);
    expect(started).toEqual([['kurrentdb'], ['kafka'], ['blobs', 'blobs'], ['vllm', 'models']]);
  });

  it.each(all)('pins %s to one version', (_, { image }) => {
    expect(image).toMatch(/^[a-z0-9./-]+:v?\d+\.\d+\.\d+[a-z0-9.-]*$/);
  });

  it.each(all)('exposes %s to this machine only', (_, { ports }) => {
    expect(ports).not.toHaveLength(0);
    for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:\d+:\d+$/);
  });

  it.each(all)('checks the health of %s soon after its start', (_, { healthcheck }) => {
    expect(healthcheck).toEqual({
      test: ['CMD-SHELL', expect.any(String)],
      interval: expect.any(String),
      timeout: expect.any(String),
      retries: expect.any(Number),
      start_period: expect.any(String),
      start_interval: expect.any(String),
    });
  });

  it('checks each service at its own port', () => {
    for (const [name, { ports, healthcheck }] of all) {
      const [inside] = /\d+$/.exec(ports[0] ?? '') ?? [];
      expect([name, JSON.stringify(healthcheck)]).toEqual([name, expect.stringContaining(`127.0.0.1:${inside}`)]);
    }
  });

  it('stores the data of each service in its own volume', () => {
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

  it.each(all)('gives %s valid settings: texts and numbers', (_, { environment }) => {
    for (const value of Object.values(environment)) expect(typeof value).toMatch(/^(string|number)$/);
  });

  it('gives Kafka more memory than its heap', () => {
    const [heap] = /(?<=-Xmx)\d+(?=g)/.exec(String(kafka?.environment['KAFKA_HEAP_OPTS'])) ?? [];
    expect(Number.parseInt(kafka?.mem_limit ?? '', 10)).toBeGreaterThan(Number(heap));
  });

  it('keeps all history', () => {
    expect(kafka?.environment).toMatchObject({ KAFKA_LOG_RETENTION_MS: -1, KAFKA_LOG_RETENTION_BYTES: -1 });
    expect(kurrentdb?.environment).not.toHaveProperty('KURRENTDB_MEM_DB');
  });

  it('disables telemetry', () => {
    expect(kurrentdb?.environment).toMatchObject({ KURRENTDB_TELEMETRY_OPTOUT: 'true' });
    expect(vllm?.environment).toMatchObject({ VLLM_NO_USAGE_STATS: 1, HF_HUB_DISABLE_TELEMETRY: 1 });
  });

  it('matches the default URLs of `icecore init --split` and of docs/servers.md', () => {
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

  it('gives the model a GPU and its served name', () => {
    const gpu = { driver: 'nvidia', count: 1, capabilities: ['gpu'] };
    expect(vllm?.deploy).toEqual({ resources: { reservations: { devices: [gpu] } } });
    const [model] = vllm?.command ?? [];
    expect(readIn('docs/models.md')).toContain(`"base": "${model}"`);
  });
});
