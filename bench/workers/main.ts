// The speed-up of four workers over one for the rollouts of a stage with a slow model as policy: a stub endpoint in this process answers any number
// of questions at once, each after the same delay. Workers are `icecore worker` processes. Measures the time from the first claim to the last
// shard.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { streamOf } from '../../schemas/streams.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { SlowModel, spokenSettings } from '../../src/producers/run/testing/spoken.ts';
import { runTiny, type TinyPlace, tinyPlace } from '../../src/producers/run/testing/tiny.ts';
import { inFolder } from '../folder.ts';
import { median } from '../measure.ts';
import { type Line, type Report, ratioLine } from '../report.ts';

const program = join(fileURLToPath(new URL('../..', import.meta.url)), 'bin', 'icecore.cjs');
const rounds = 3;
const many = 4;
const target = 3.5;
const shards = 16;
const trained = 176;
const latencyMs = 500;
const run = 'slow00000000';

export async function workersBench(): Promise<readonly Report[]> {
  const model = await SlowModel.start();
  const one: number[] = [];
  const four: number[] = [];
  let rollouts = 0;
  try {
    for (let round = 0; round < rounds; round++) {
      for (const [workers, seconds] of [[1, one] as const, [many, four] as const]) {
        const took = await inFolder((folder) => stageWith(workers, model, folder));
        seconds.push(took.seconds);
        rollouts = took.rollouts;
      }
    }
  } finally {
    await model.endpoint.stop();
  }
  const ratio = median(one.map((seconds, round) => seconds / (four[round] ?? Number.NaN)));
  const said = (seconds: number): Pick<Line, 'value' | 'target' | 'met'> => ({
    value: `${seconds.toFixed(1)} s`,
    target: '',
    met: null,
  });
  return [
    {
      title: `${rollouts} rollouts in ${shards} shards, ${latencyMs} ms per answer, the median of ${rounds} rounds`,
      lines: [
        { what: 'one worker', ...said(median(one)) },
        { what: `${many} workers`, ...said(median(four)) },
        ratioLine(`one to ${many}`, ratio, target),
      ],
      data: { rounds, rollouts, shards, latencyMs, one: median(one), many: median(four), ratio },
    },
  ];
}

interface Took {
  readonly seconds: number;
  readonly rollouts: number;
}

async function stageWith(workers: number, model: SlowModel, folder: string): Promise<Took> {
  const place = await tinyPlace(folder);
  const settings = spokenSettings({ stages: 1, shards, trained, name: 'slow' });
  const options = { run, settings, entries: model.entries, leavesShards: true };
  model.latency = 0;
  await runTiny(place, { ...options, until: ({ do: next }) => next === 'train' });
  const ends = await Promise.all(Array.from({ length: workers }, () => worker(place)));
  model.latency = latencyMs;
  await runTiny(place, options);
  await Promise.all(ends.map((ended) => ended()));
  const took = await tookOf(place.ledger);
  await place.ledger.close();
  return took;
}

/** Resolves when the worker is ready and waits for work. */
async function worker({ folder, ledger }: TinyPlace): Promise<() => Promise<void>> {
  const env = { ...process.env, ICECORE_BLOBS: `folder:${join(folder, 'blobs')}`, THE_KEY: 'sk-very-secret' };
  const child = spawn(process.execPath, [program, 'worker', run, '--ledger', ledger.url], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exit = once(child, 'exit');
  const lines = createInterface(child.stderr);
  await Promise.race([once(lines, 'line'), exit]);
  return async () => {
    const [code] = await exit;
    if (code !== 0) throw new Error(`a worker ended with ${code}`);
  };
}

async function tookOf(ledger: Ledger): Promise<Took> {
  let [first, last] = [Number.POSITIVE_INFINITY, 0];
  for await (const events of ledger.read(streamOf.work(run))) {
    for (const { type, recordedMs } of events) {
      if (type === 'ShardClaimed') first = Math.min(first, recordedMs);
      if (type === 'ShardCompleted') last = recordedMs;
    }
  }
  let rollouts = 0;
  for await (const events of ledger.readAll({ types: ['RolloutRecorded'] })) rollouts += events.length;
  return { seconds: (last - first) / 1000, rollouts };
}
