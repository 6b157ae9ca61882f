// The Kafka settings of docker-compose.yml with a real broker, passed on by the program that the image uses, which is in Kafka's jars.
// Only ports and folders differ from the image.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import kafkajs, { type Admin } from 'kafkajs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { brokersKnownAt } from '../tools/kafka/answering.ts';
import { areFetched, classPath } from '../tools/kafka/jars.ts';
import { shortLived, withArchive } from '../tools/kafka/java.ts';
import { freePorts } from '../tools/kafka/ports.ts';
import { composed } from './compose.ts';

if (!areFetched())
  console.warn('The settings of docker-compose.yml are not tested: `npm run kafka-server -- --prepare`');

describe.skipIf(!areFetched())('a broker with the settings of docker-compose.yml', () => {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-compose-'));
  let environment: Readonly<Record<string, string>>;
  let broker: ChildProcess;
  let admin: Admin;

  beforeAll(async () => {
    const [port = 0, control = 0] = await freePorts(2);
    environment = composedFor(port, control, join(folder, 'data'));
    const settings = await asTheImageHandsThemOn(environment, folder);
    const java = [...withArchive, ...shortLived, '-Xmx400m', '-cp', classPath];
    broker = spawn('java', [...java, 'kafka.Kafka', settings], { stdio: 'ignore' });
    await vi.waitUntil(async () => (await brokersKnownAt(port)) === 1, { timeout: 120_000 });
    admin = new kafkajs.Kafka({ brokers: [`127.0.0.1:${port}`], logLevel: kafkajs.logLevel.NOTHING }).admin();
    await admin.connect();
  });
  afterAll(async () => {
    await admin?.disconnect();
    const ended = once(broker, 'exit');
    broker.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });

  it('applies every one of them', async () => {
    const asked = [{ type: kafkajs.ConfigResourceTypes.BROKER, name: '1' }];
    const { resources } = await admin.describeConfigs({ resources: asked, includeSynonyms: false });
    const known = new Map(resources[0]?.configEntries.map(({ configName, configValue }) => [configName, configValue]));
    const wanted = Object.entries(environment).filter(([name]) => /^KAFKA_(?!HEAP_OPTS$)/.test(name));
    const named = wanted.map(([name, value]) => [settingOf(name), value] as const);
    expect(named.map(([name]) => [name, known.get(name)])).toEqual(named);
  });
});

function composedFor(port: number, control: number, data: string): Readonly<Record<string, string>> {
  const { environment } = composed().services['kafka'] ?? {};
  const here = (text: string): string => text.replaceAll(':9092', `:${port}`).replaceAll(':9093', `:${control}`);
  const entries = Object.entries(environment ?? {}).map(([name, value]) => [name, here(`${value}`)]);
  return { ...Object.fromEntries(entries), KAFKA_LOG_DIRS: data };
}

/** `KAFKA_LOG_DIRS` is the setting `log.dirs`. */
function settingOf(variable: string): string {
  return variable.replace('KAFKA_', '').toLowerCase().replaceAll('_', '.');
}

/** Also prepares the data folder; returns the path of the settings file. */
async function asTheImageHandsThemOn(environment: Readonly<Record<string, string>>, folder: string): Promise<string> {
  const at = (name: string): string => join(folder, name);
  for (const name of ['defaults', 'mounted', 'final']) mkdirSync(at(name));
  for (const name of ['server.properties', 'log4j2.yaml', 'tools-log4j2.yaml'])
    writeFileSync(at(`defaults/${name}`), '');
  const places = [
    '--default-configs-dir',
    'defaults',
    '--mounted-configs-dir',
    'mounted',
    '--final-configs-dir',
    'final',
  ];
  await promisify(execFile)(
    'java',
    [...withArchive, ...shortLived, '-cp', classPath, 'kafka.docker.KafkaDockerWrapper', 'setup', ...places],
    {
      cwd: folder,
      env: { PATH: process.env['PATH'], ...environment },
    },
  );
  return at('final/server.properties');
}
