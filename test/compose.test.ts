// What of docker-compose.yml can be checked without an engine; compose.int.test.ts hands its settings to a real broker.
import { describe, expect, it } from 'vitest';
import { version } from '../tools/kafka/jars.ts';
import { composed } from './compose.ts';

describe('docker-compose.yml', () => {
  const { services, volumes } = composed();
  const all = Object.entries(services);
  const { kafka } = services;

  it('runs the Kafka that icecore is tested with', () => {
    expect(kafka?.image).toBe(`apache/kafka:${version}`);
  });

  it.each(all)('pins %s to one version', (_, { image }) => {
    expect(image).toMatch(/^[a-z0-9./-]+:\d+\.\d+\.\d+[a-z0-9.-]*$/);
  });

  it.each(all)('lets only this machine reach %s', (_, { ports }) => {
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

  it.each(all)('keeps what %s writes when its container is replaced', (_, service) => {
    for (const mount of service.volumes) expect(Object.keys(volumes)).toContain(mount.split(':')[0]);
    expect(service.volumes.map((mount) => mount.split(':')[1])).toContain(kafka?.environment['KAFKA_LOG_DIRS']);
  });

  it.each(all)('gives %s settings that a compose file may have: texts and numbers', (_, { environment }) => {
    for (const value of Object.values(environment)) expect(typeof value).toMatch(/^(string|number)$/);
  });

  it.each(all)('gives %s more memory than its heap', (_, { environment, mem_limit }) => {
    const [heap] = /(?<=-Xmx)\d+(?=g)/.exec(String(environment['KAFKA_HEAP_OPTS'])) ?? [];
    expect(Number.parseInt(mem_limit, 10)).toBeGreaterThan(Number(heap));
  });

  it('removes no history', () => {
    expect(kafka?.environment).toMatchObject({ KAFKA_LOG_RETENTION_MS: -1, KAFKA_LOG_RETENTION_BYTES: -1 });
  });
});
