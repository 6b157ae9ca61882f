// Texts of all that is recorded can be kept as blobs by a setting of the workspace, so that they can be erased later.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isThorough } from '../../schemas/testing/tries.ts';
import { blobsIn, textsIn } from '../../schemas/texts.ts';
import { answerReply, Endpoint } from '../lab/models/testing/endpoint.ts';
import { hasPython, type Place, placeWith, tiny, trainer } from './experiment/testing/place.ts';
import { ndjson, sentRollout } from './testing/events.ts';
import { icecore, json, lines, temporaryFolder } from './testing/harness.ts';

/** The answer of the model, which is not a proposal. */
const said = 'Ada knows.';

const programs = ['--programs', '--jobs', '1'];

interface EventLine {
  readonly type: string;
  readonly version: number;
  readonly stream: string;
  readonly revision: number;
  readonly data: object;
}

async function eventsIn(cwd: string): Promise<readonly EventLine[]> {
  const { stdout } = await icecore(['event', 'tail', '--json', '-n', '100000'], { cwd });
  return lines(stdout).map((line) => JSON.parse(line) as EventLine);
}

const inline = (events: readonly EventLine[]): readonly string[] =>
  events.flatMap(({ type, version, data }) => textsIn(type, version, data).map(({ field }) => `${type} ${field}`));

const named = (events: readonly EventLine[]): readonly string[] =>
  events.flatMap(({ type, version, data }) =>
    blobsIn(type, version, data).flatMap(({ isText, field }) => (isText ? [`${type} ${field}`] : [])),
  );

function settle(cwd: string, settings: object): void {
  writeFileSync(join(cwd, 'icecore.config.json'), JSON.stringify(settings));
}

describe.skipIf(!hasPython)('the setting texts', () => {
  const place = placeWith({ ...tiny, engineer: 'rules', name: 'mine' });

  let endpoint: Endpoint;
  beforeAll(async () => {
    endpoint = await Endpoint.start();
    endpoint.replies(answerReply(said));
  });
  afterAll(() => endpoint.stop());

  async function settled(): Promise<Place & { readonly before: readonly EventLine[] }> {
    const at = place();
    const before = await eventsIn(at.folder);
    settle(at.folder, { texts: 'blobs', models: { gpt: { url: endpoint.url, model: 'served' } } });
    at.write('other.json', { ...tiny, engineer: 'rules', name: 'twin' });
    at.write('model.json', { ...tiny, engineer: 'gpt', name: 'twin' });
    return { ...at, before };
  }

  it('is inline by default', async () => {
    const events = await eventsIn(place().folder);
    expect(new Set(inline(events))).toEqual(new Set(['SummaryRecorded data.text', 'ContextRecorded data.text']));
    expect(named(events)).toEqual([]);
  });

  type Recording = [string, (at: Place) => Promise<unknown>];

  const some: Recording[] = [
    ['run', (at) => at.icecore('run', '--file', 'other.json', ...programs)],
    ['a run whose engineer is a model', (at) => at.icecore('run', '--file', 'model.json', ...programs)],
    ['propose', (at) => at.icecore('propose', 'mine@2', '--engineer', 'gpt')],
  ];
  const others: Recording[] = [
    [
      'resume',
      async (at) => {
        at.write('human.json', { ...tiny, name: 'twin' });
        await at.icecore('run', '--file', 'human.json', ...programs);
        at.write('next.json', JSON.parse((await at.icecore('show', 'twin@1', '--json')).stdout).knobs);
        return await at.icecore('resume', 'twin', ...programs);
      },
    ],
    ['fork', (at) => at.icecore('fork', 'mine@2', '--engineer', 'uniform', '--name', 'twin')],
    [
      'stage start and finish',
      async (at) => {
        const { trainer: _, ...settings } = tiny;
        at.write('by-hand.json', { ...settings, engineer: 'rules' });
        const { stdout } = await at.icecore('stage', 'start', 'twin', '--file', 'by-hand.json', '--programs');
        writeFileSync(join(at.folder, 'curve'), execFileSync(trainer[0], trainer.slice(1), { input: stdout }));
        return await at.icecore('stage', 'finish', 'twin', '--curve', 'curve');
      },
    ],
    ['ablate', (at) => at.icecore('ablate', 'mine', '--engineer', 'gpt', '--context', 'stats,failures')],
    ['lake evaluate', (at) => at.icecore('lake', 'evaluate', 'gpt', '--count', '2')],
  ];

  it.each(isThorough ? [...some, ...others] : some)(
    'stores the texts of %s as blobs, and the ledger is sound',
    async (_, record) => {
      const at = await settled();
      await record(at);
      const events = (await eventsIn(at.folder)).slice(at.before.length);
      expect(inline(events)).toEqual([]);
      expect(named(events).length).toBeGreaterThan(0);
      expect(await at.icecore('verify')).toMatchObject({
        code: 0,
        stdout: expect.not.stringContaining('blob-missing'),
      });
    },
    60_000,
  );

  it('does not change what commands print about a run', async () => {
    const at = await settled();
    await at.icecore('run', '--file', 'other.json', ...programs);
    for (const command of [
      ['why', '@2', 'addition'],
      ['context', '@2'],
      ['show', '@2'],
      ['diff', '@1', '@2'],
    ]) {
      const [mine, other] = await Promise.all(
        ['mine', 'twin'].map(async (run) => {
          const words = command.map((word) => (word.startsWith('@') ? `${run}${word}` : word));
          const { stdout } = await at.icecore(...words);
          return stdout
            .replaceAll(new RegExp(`\\b${run}\\b`, 'g'), 'RUN')
            .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-z]{12}|\d{4}-\d\d-\d\d[T ][\d:Z]*/g, '');
        }),
      );
      expect(other).toBe(mine);
      expect(other).not.toBe('');
    }
    expect((await at.icecore('verify', '--recompute', '--programs')).stdout).not.toContain('recomputed-');
  }, 60_000);

  it('lets redact erase an answer in every decision that names it', async () => {
    const at = await settled();
    await at.icecore('run', '--file', 'model.json', ...programs);
    const answer = (await eventsIn(at.folder)).find(({ type }) => type === 'ModelAnswered');
    const reference = `${answer?.stream}@0`;
    expect(await at.icecore('event', 'redact', reference, '--reason', 'a name', '--everywhere')).toMatchObject({
      code: 0,
    });
    expect((await at.icecore('event', 'show', reference)).stdout).toContain('erased: see');
    const shown = await at.icecore('event', 'tail', '--json', '-n', '100000');
    expect(shown.stdout).not.toContain(said);
    expect((await at.icecore('verify')).code).toBe(0);
  }, 60_000);
});

describe('texts of appended events', () => {
  const sent = ndjson([sentRollout(0, { prompt: { text: 'Go.' }, completion: { text: 'Left.' } })]);

  async function appended(settings: object, argv: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, '.icecore'));
    settle(cwd, settings);
    const ran = await icecore(['event', 'append', ...argv], { cwd, stdin: sent, env });
    return { ran, events: ran.code === 0 ? await eventsIn(cwd) : [] };
  }

  it.each<[string, object, string[], Record<string, string>, number]>([
    ['in their events by default', {}, [], {}, 0],
    ['as blobs by the settings', { texts: 'blobs' }, [], {}, 2],
    ['as blobs by the environment', { texts: 'inline' }, [], { ICECORE_TEXTS: 'blobs' }, 2],
    ['in their events by the environment', { texts: 'blobs' }, [], { ICECORE_TEXTS: 'inline' }, 0],
    ['in their events by the flag', { texts: 'blobs' }, ['--texts', 'inline'], { ICECORE_TEXTS: 'blobs' }, 0],
    ['as blobs by the flag', { texts: 'inline' }, ['--texts', 'blobs'], { ICECORE_TEXTS: 'inline' }, 2],
  ])('are stored %s', async (_, settings, argv, env, blobs) => {
    const { events } = await appended(settings, argv, env);
    expect(named(events)).toHaveLength(blobs);
    expect(inline(events)).toHaveLength(2 - blobs);
  });

  it.each<[string, object, Record<string, string>, string]>([
    ['the setting', { texts: 'blob' }, {}, 'texts: found "blob"'],
    ['the environment variable', {}, { ICECORE_TEXTS: 'blob' }, 'ICECORE_TEXTS: found "blob"'],
  ])('are refused if %s is invalid', async (_, settings, env, message) => {
    const { ran } = await appended(settings, [], env);
    expect(ran.code).toBeGreaterThan(0);
    expect(ran.stderr).toContain(message);
  });

  it('are refused with --json by an error that names the setting', async () => {
    const { ran } = await appended({ texts: 3 }, ['--json']);
    expect(json(ran)).toMatchObject({ error: { field: 'texts', found: '3' } });
  });
});
