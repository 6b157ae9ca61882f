// A real Kafka for tests, on free ports of this machine with a fresh folder: one broker, or three with `--brokers 3`. With `--lasting` it runs at
// full speed but starts more slowly, for measurements. `node tools/kafka-server.ts` prints one line of JSON with its addresses, and runs until its
// standard input ends or it receives a signal; `--prepare` only fetches the jars and prepares them, `--ready` reports whether that was done. Each
// line of its input (`kill 0`, `restart 0`, `pause 0`, `resume 0`, `start`) acts on a broker and is answered by a line of JSON when done.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { archiveClasses } from './kafka/archive.ts';
import { Cluster } from './kafka/cluster.ts';
import { areFetched, fetchJars } from './kafka/jars.ts';
import { shortLived, withArchive } from './kafka/java.ts';

const { values: wanted } = parseArgs({
  options: {
    ready: { type: 'boolean', default: false },
    prepare: { type: 'boolean', default: false },
    brokers: { type: 'string', default: '1' },
    lasting: { type: 'boolean', default: false },
  },
});
if (wanted.ready) tellWhetherReady();
else if (fetched()) await (wanted.prepare ? archiveClasses() : serve(wanted.brokers === '3' ? 3 : 1));

function tellWhetherReady(): void {
  if (areFetched()) return;
  console.error(
    'run `npm run kafka-server -- --prepare`, which needs Java 17 or later and Maven, or set ICECORE_TEST_KAFKA=host:port',
  );
  process.exitCode = 1;
}

function fetched(): boolean {
  try {
    fetchJars();
    return true;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
    return false;
  }
}

async function serve(brokers: 1 | 3): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-kafka-'));
  let cluster: Cluster | undefined;
  const end = async (code = 0): Promise<never> => {
    await cluster?.end();
    rmSync(folder, { recursive: true, force: true });
    process.exit(code);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => end());
  const orders = createInterface(process.stdin).on('close', () => end());
  try {
    cluster = await Cluster.make(folder, brokers, [...withArchive, ...(wanted.lasting ? [] : shortLived)]);
    await cluster.start();
  } catch (error) {
    console.error(error);
    return end(1);
  }
  console.log(JSON.stringify(cluster.places));
  for await (const order of orders) console.log(JSON.stringify(await obey(cluster, order)));
}

async function obey(cluster: Cluster, order: string): Promise<{ readonly failed: string | null }> {
  const [what, index] = order.split(' ');
  const doing = new Map([
    ['start', () => cluster.start()],
    ['kill', () => cluster.kill(Number(index))],
    ['restart', () => cluster.restart(Number(index))],
    ['pause', async () => cluster.pause(Number(index))],
    ['resume', async () => cluster.resume(Number(index))],
  ]).get(what ?? '');
  try {
    if (doing === undefined) throw new Error(`unknown order: ${order}`);
    await doing();
    return { failed: null };
  } catch (error) {
    return { failed: String(error) };
  }
}
