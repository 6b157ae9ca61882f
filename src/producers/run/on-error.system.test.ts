// Runs whose engineer program crashes: they stop, ask again, or continue with the current configuration; the crash
// never counts as the engineer's decision.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { IcecoreError } from '../../../schemas/errors.ts';
import type { OnError } from '../../../schemas/run-file.ts';
import { streamOf } from '../../../schemas/streams.ts';
import { FakeClock } from '../../lab/models/testing/fake-clock.ts';
import { collect } from '../../ledger/contract/fixture.ts';
import { readHistory } from '../history/reading.ts';
import { runTiny, type TinyPlace, type TinyRun, tinyPlace, tinySettings } from './testing/tiny.ts';

const parent = 'shared000000';
const small = { budget: { 'agent-steps': 60 }, validation: 2, trained: 2, context: 'v1' };
let place: TinyPlace;
let script: string;
let broken: string;
let count = 0;

beforeAll(async () => {
  place = await tinyPlace();
  await runTiny(place, { run: parent, settings: tinySettings({ ...small, engineer: 'fixed' }) });
  script = join(place.folder, 'flaky.mjs');
  broken = join(place.folder, 'broken');
  writeFileSync(
    script,
    `import { existsSync, readFileSync } from 'node:fs';
     const { current } = JSON.parse(readFileSync(0, 'utf8'));
     if (existsSync(${JSON.stringify(broken)})) { console.error('no licence'); process.exit(3); }
     console.log(JSON.stringify({ configuration: current, reasons: [] }));`,
  );
}, 60_000);
afterAll(async () => await place.close());

/** A fork of the shared run, which asks the program after stage 1. The same fork can be resumed. */
function running(run: string, onError: OnError | null, more: Partial<TinyRun> = {}) {
  return async () => {
    const { stages } = await readHistory(place.ledger, parent);
    const { revision = 0, digest = '' } = stages[0]?.completed ?? {};
    const engineer = [process.execPath, script];
    const settings = { ...tinySettings({ ...small, engineer, name: run }), ...(onError === null ? {} : { onError }) };
    return await runTiny(place, {
      ...{ run, settings, about: { parent: { run: parent, stage: 1, revision, digest } } },
      ...more,
    });
  };
}

function newRun(): string {
  return `flaky000000${count++}`;
}

async function typesOf(run: string): Promise<readonly string[]> {
  return (await collect(place.ledger.read(streamOf.run(run)))).map(({ type }) => type);
}

const mended = (): void => rmSync(broken, { force: true });
const breaks = (): void => writeFileSync(broken, '');

it('an errored engineer stops the run without a decision, and is asked again after a resume', async () => {
  breaks();
  const run = newRun();
  const go = running(run, null);
  await expect(go()).rejects.toMatchObject({
    name: 'EngineerErrored',
    kind: 'unavailable',
    message: expect.stringMatching(/flaky\.mjs ended with exit code 3; its last words: no licence$/),
  });
  const events = await collect(place.ledger.read(streamOf.run(run)));
  expect(events.at(-1)?.reading).toMatchObject({
    type: 'RunFailed',
    data: { reason: 'unavailable', during: 'propose', resumable: true },
  });
  expect(await typesOf(run)).toEqual(['RunStarted', 'ContextRecorded', 'RunFailed']);
  mended();
  const { ended, history } = await go();
  expect(ended).toBe('completed');
  expect(history.stages[0]?.adopted?.data.by).toBe('engineer');
  expect(history.stages[0]?.proposals[0]?.data.engineer.name).toBe('flaky.mjs');
  expect(history.stages[0]?.errors).toEqual([]);
}, 30_000);

it('retry asks a bounded number of times, and then stops the run', async () => {
  breaks();
  const clock = new FakeClock();
  const messages: string[] = [];
  const tell: TinyRun['tell'] = async (progress) => {
    if (progress.kind === 'retrying') messages.push(`${progress.why.includes('no licence')}, ${progress.seconds}`);
  };
  await expect(running(newRun(), 'retry', { clock, tell })()).rejects.toMatchObject({ name: 'EngineerErrored' });
  expect(messages).toEqual(['true, 5', 'true, 15', 'true, 45', 'true, 135']);
  const mends: TinyRun['tell'] = async (progress) => {
    if (progress.kind === 'retrying') mended();
  };
  const { ended, history } = await running(newRun(), 'retry', { clock, tell: mends })();
  expect([ended, history.stages[0]?.adopted?.data.by]).toEqual(['completed', 'engineer']);
}, 30_000);

it('retry also repeats other steps whose failure may be temporary', async () => {
  mended();
  const clock = new FakeClock();
  let failures = 0;
  const tell: TinyRun['tell'] = async ({ kind }) => {
    if (kind === 'training' && failures++ === 0) throw new IcecoreError('unavailable', 'the trainer is away');
  };
  const { ended } = await running(newRun(), 'retry', { clock, tell })();
  expect([ended, clock.pauses]).toEqual(['completed', [5000]]);
}, 30_000);

it('keep keeps the configuration, and records the decision as errored, not as rejected', async () => {
  breaks();
  const { ended, history } = await running(newRun(), 'keep')();
  expect(ended).toBe('completed');
  const [first, second] = history.stages;
  expect([first?.rejections, first?.proposals]).toEqual([[], []]);
  const [errored] = first?.errors ?? [];
  expect(errored?.data).toMatchObject({
    engineer: { name: 'flaky.mjs' },
    context: { contextForm: 'v1' },
    error: { kind: 'crashed', message: expect.stringContaining('no licence') },
    raw: null,
  });
  expect(first?.adopted?.data).toMatchObject({ by: 'errored', proposal: null, changes: [] });
  expect(second?.started.data.configuration?.digest).toBe(first?.started.data.configuration?.digest);
}, 30_000);

it('a run stopped between the error and the adoption asks again when resumed without keep', async () => {
  breaks();
  const run = newRun();
  const stopping = new AbortController();
  const stopped = running(run, 'keep', {
    signal: stopping.signal,
    tell: async (progress) => {
      if (progress.kind === 'decided' && progress.decision.type === 'ProposalErrored') stopping.abort('enough');
    },
  });
  await expect(stopped()).rejects.toBe('enough');
  expect((await typesOf(run)).at(-1)).toBe('ProposalErrored');
  mended();
  const { history } = await running(run, 'stop')();
  expect(history.stages[0]?.adopted?.data).toMatchObject({ by: 'engineer' });
}, 30_000);
