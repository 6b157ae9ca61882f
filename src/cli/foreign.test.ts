// Events that this icecore does not know, in a ledger that it works on: every command shows them as what they are, counts them,
// or says that it leaves them out. None fails because of them, except those that would decide on what they cannot read.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Sink } from '../base/sink.ts';
import { openLedger } from '../ledger/open.ts';
import { findRun } from '../ledger/runs.ts';
import { StoredEvent } from '../ledger/stored.ts';
import { createContext } from './context.ts';
import { formOf } from './events/event-lines.ts';
import { hasPython, type Place, placeWith, tiny } from './experiment/testing/place.ts';
import { copyOf, type KeptPlace, withTables } from './runs/testing/looking.ts';
import { commands } from './testing/commands.ts';
import {
  addForeign,
  type ForeignEvent,
  foreignEvents,
  type GoldenPlace,
  goldenNames,
  goldenPlace,
} from './testing/foreign.ts';
import { icecore, inFolder, json, lines } from './testing/harness.ts';
import { faultsAgainst } from './testing/published.ts';

interface Foreign extends ForeignEvent {
  /** STREAM@REVISION. */
  readonly place: string;
}

interface ForeignPlace extends GoldenPlace {
  readonly foreign: readonly Foreign[];
}

/** With tables, as after an earlier query. It is made once, and copied. */
async function foreignPlace(): Promise<ForeignPlace> {
  made ??= (async () => {
    const foreign: Foreign[] = [];
    const place = await goldenPlace(async (ledger) => {
      for (const event of await foreignEvents(ledger))
        foreign.push({ ...event, place: await addForeign(ledger, event) });
    });
    return { ...(await withTables(place)), foreign };
  })();
  const kept = await made;
  const cwd = copyOf(kept);
  return { cwd, icecore: inFolder(cwd), foreign: kept.foreign };
}

let made: Promise<KeptPlace & Pick<ForeignPlace, 'foreign'>> | undefined;

const gist = 'celsius 92.5, gpu 3, note too hot';
const { run, ablation } = goldenNames;

/** `of`: the events that a command meets, by the beginnings of their streams. */
type Case = readonly [command: string, of: readonly string[]];

const everything = [''];
const ofRun = ['run-', 'notes-'];

/** Commands that answer from events: they name what they leave out on standard error, with type, version and number. */
const answering: readonly Case[] = [
  ['runs', ['run-']],
  [`show ${run}`, ofRun],
  [`show ${run}@1`, ofRun],
  [`why ${run}@2`, ofRun],
  [`audit ${run}`, ['run-']],
  [`diff ${run}@1 ${run}@2`, ['run-']],
  [`compare ${run} forked`, ['run-']],
  [`report ${run}`, ofRun],
  [`context ${run}@2`, ['run-']],
  [`ablate --show ${ablation}`, ['ablation-']],
  ['sql FROM_runs', everything],
  ['tables refresh', everything],
  ['export tables --output tables events', everything],
];

describe('a command that answers from events', () => {
  it.each(answering)('%s names the unknown types it meets', async (command, of) => {
    const { icecore: ic, foreign } = await foreignPlace();
    const ran = await ic(...command.split(' ').map((word) => word.replaceAll('_', ' ')));
    expect(ran.code).toBe(0);
    const own = foreign.filter(({ stream }) => of.some((beginning) => stream.startsWith(beginning)));
    expect(ran.stderr).toMatch(/\d+ events? of types or versions that this icecore does not know \(/);
    const named = ran.stderr.match(/\((.*?)\)/)?.[1] ?? '';
    if (!named.includes('more kinds'))
      for (const { type } of own) if (type !== 'RunClaimed') expect(named).toContain(type);
  });
});

describe('events of unknown types or versions', () => {
  it.each(['show first', 'show first@1', 'why first@2'])(
    'are listed by %s, and are complete in its JSON',
    async (command) => {
      const { icecore: ic, foreign } = await foreignPlace();
      const own = foreign.filter(({ stream }) => ofRun.some((beginning) => stream.startsWith(beginning)));
      const { stdout } = await ic(...command.split(' '), '--verbose');
      for (const { type, version, place } of own)
        expect(stdout).toContain(`${type} version ${version}, ${place}: ${gist}`);
      const answer = json(await ic(...command.split(' '), '--json'));
      const schema = command.startsWith('why') ? 'why' : command.includes('@') ? 'show-stage' : 'show';
      expect(faultsAgainst(schema, answer)).toEqual([]);
      expect(answer['opaque']).toHaveLength(own.length);
      for (const { place: _, ...event } of own)
        expect(answer['opaque']).toContainEqual(expect.objectContaining({ ...event, known: false }));
    },
  );

  it('are listed by report', async () => {
    const { icecore: ic, foreign } = await foreignPlace();
    const { stdout } = await ic('report', run);
    const own = foreign.filter(({ stream }) => ofRun.some((beginning) => stream.startsWith(beginning)));
    for (const { type, version, place } of own)
      expect(stdout).toContain(`${type} version ${version}, ${place}, is unknown to this version of icecore`);
  });

  it('are printed by event tail as lines, as JSON and as CloudEvents', async () => {
    const { icecore: ic, foreign } = await foreignPlace();
    const number = `-${foreign.length}`;
    const shown = lines((await ic('event', 'tail', number)).stdout);
    const whole = lines((await ic('event', 'tail', number, '--json')).stdout).map((line) => JSON.parse(line) as object);
    const cloud = lines((await ic('event', 'tail', number, '--cloudevents')).stdout).map(
      (line) => JSON.parse(line) as object,
    );
    expect(shown).toHaveLength(foreign.length);
    for (const [i, { place, type, version, stream, data }] of foreign.entries()) {
      expect(shown[i]).toMatch(new RegExp(`${place} +${type} +producer/elsewhere +version ${version}.*: ${gist}$`));
      expect(whole[i]).toMatchObject({ stream, type, version, data, known: false });
      expect(cloud[i]).toMatchObject({ subject: stream, schemaversion: version, data });
    }
    const known = lines(
      (await ic('event', 'tail', '-1', '--stream', 'run-z6zxbj6swj7s', '--type', 'RunStarted', '--json')).stdout,
    );
    expect(known.map((line) => JSON.parse(line) as object)).toEqual([expect.not.objectContaining({ known: false })]);
  });

  it('can be selected by their type and stream, but not by missing ones', async () => {
    const { icecore: ic, foreign } = await foreignPlace();
    const moons = foreign.filter(({ type }) => type === 'MoonRisen');
    expect(lines((await ic('event', 'tail', '--type', 'MoonRisen')).stdout)).toHaveLength(moons.length);
    expect(lines((await ic('event', 'tail', '--stream', 'sensor-42')).stdout)).toHaveLength(2);
    expect(lines((await ic('export', 'events', '--type', 'MoonRisen')).stdout)).toHaveLength(moons.length);
    for (const argv of [
      ['event', 'tail', '--type', 'Moonrisen'],
      ['event', 'tail', '--stream', 'sensor-43'],
      ['export', 'events', '--type', 'Sun'],
    ])
      expect(await ic(...argv)).toMatchObject({ code: 2, stdout: '' });
  });

  it('are printed by event show, with what is unknown about them', async () => {
    const { icecore: ic, foreign } = await foreignPlace();
    for (const { place, type, stream, data } of foreign) {
      const { code, stdout } = await ic('event', 'show', place);
      expect(code).toBe(0);
      expect(stdout).toMatch(new RegExp(`^${type} ${place}\\n`));
      expect(stdout).toMatch(/version +\d, (?:of an unknown type|of a type|newer)/);
      expect(json(await ic('event', 'show', place, '--json'))).toMatchObject({ stream, type, data, known: false });
    }
  });

  it('are counted by head, verify, sql and exports', async () => {
    const { icecore: ic, foreign } = await foreignPlace();
    const { events } = json(await ic('ledger', 'head'));
    const verified = await ic('verify', '--json');
    expect(verified.code).toBe(0);
    expect(json(verified)).toMatchObject({ events, opaque: foreign.length, faults: 0 });
    const counted = json(await ic('sql', '--json', 'SELECT count(*) AS n FROM events'));
    expect(counted['rows']).toEqual([{ n: events }]);
    const out = await ic(
      'sql',
      '--format',
      'ndjson',
      "SELECT type, version, data FROM events WHERE actor = 'producer/elsewhere'",
    );
    expect(lines(out.stdout)).toHaveLength(foreign.length);
    for (const line of lines(out.stdout)) expect(line).toContain('too hot');
    expect(lines((await ic('export', 'events')).stdout)).toHaveLength(Number(events));
    const tables = json(await ic('export', 'tables', '--output', 'tables', 'events', '--json'));
    expect(tables).toMatchObject({ tables: [{ name: 'events', rows: events }] });
  });

  it('are proven by ledger prove', async () => {
    const { icecore: ic, foreign } = await foreignPlace();
    for (const { place, stream } of foreign.slice(0, 3))
      expect(json(await ic('ledger', 'prove', place))).toMatchObject({ event: { stream } });
  });

  it('are copied unchanged', async () => {
    const { icecore: ic, cwd } = await foreignPlace();
    const from = `sqlite:${join(cwd, '.icecore', 'ledger.db')}`;
    expect((await ic('ledger', 'copy', from, 'sqlite:copy.db')).code).toBe(0);
    const [here, there] = [await ic('ledger', 'head'), await ic('ledger', 'head', '--ledger', 'sqlite:copy.db')].map(
      json,
    );
    expect(there).toMatchObject({ events: here?.['events'], root: here?.['root'] });
  });

  it('are in the bundle of their run, and are imported from it', async () => {
    const { icecore: ic, foreign } = await foreignPlace();
    expect((await ic('export', 'bundle', run)).code).toBe(0);
    expect((await ic('import', 'bundle', `${run}.icecore.tar.zst`, '--ledger', 'sqlite:other.db')).code).toBe(0);
    const there = await ic('event', 'tail', '-5000', '--json', '--ledger', 'sqlite:other.db');
    const own = foreign.filter(({ stream }) => /^(?:run|work|notes|evidence|ablation)-/.test(stream));
    for (const { stream, type, version } of own)
      expect(
        lines(there.stdout).some((line) => line.includes(`"stream":"${stream}","type":"${type}","version":${version}`)),
      ).toBe(true);
  });

  it('do not prevent the import of another run', async () => {
    const { icecore: ic, cwd } = await foreignPlace();
    const records = [
      { run: 'beside', stage: 1, config: { hard: 0.5 } },
      { run: 'beside', stage: 1, success: true },
    ];
    writeFileSync(join(cwd, 'beside.ndjson'), records.map((record) => `${JSON.stringify(record)}\n`).join(''));
    expect(await ic('import', 'ndjson', 'beside.ndjson')).toMatchObject({ code: 0 });
    expect(json(await ic('show', 'beside', '--json'))).toMatchObject({ name: 'beside', state: 'completed' });
  });

  it('are refused by event append, which names the nearest type', async () => {
    const { icecore: ic, cwd } = await foreignPlace();
    const { stdout } = await ic('event', 'tail', '--type', 'acme.GpuThrottled', '--json');
    const refused = await icecore(['event', 'append', '--ledger', 'sqlite:other.db'], { cwd, stdin: stdout });
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain('type: found "acme.GpuThrottled"');
    const misspelt = stdout
      .replace('acme.GpuThrottled', 'RunAnotated')
      .replace(/,"recordedAt".*/, '}')
      .replace(/"previous":[^,]*,"revision":\d+,/, '');
    expect(
      (await icecore(['event', 'append', '--ledger', 'sqlite:other.db'], { cwd, stdin: misspelt })).stderr,
    ).toContain('RunAnnotated');
  });

  it('do not stop annotate, ledger seal and doctor', async () => {
    const { icecore: ic } = await foreignPlace();
    expect((await ic('annotate', run, 'hello')).code).toBe(0);
    const redacted = await ic('event', 'redact', 'sensor-42@0', '--reason', 'x', '--json');
    expect(redacted.code).toBe(1);
    expect(json(redacted)).toHaveProperty('error.kind');
    const sealed = await ic('ledger', 'seal', `${run}@2`, '--json');
    expect(sealed.code).toBe(0);
    expect(json(sealed)).toMatchObject({ isNew: false });
    expect((await ic('doctor')).stdout).toMatch(/^ok +digests/m);
  });

  it('are printed without a crash, whatever they contain', async () => {
    const any = fc.oneof(fc.jsonValue(), fc.constant('a\ud800'), fc.constant(1e300));
    const member = fc.constantFrom(
      'failures',
      'name',
      'changes',
      'reward',
      'text',
      'error',
      'suite',
      'results',
      'attempts',
    );
    const envelope = fc.record(
      {
        ...{
          stream: fc.string(),
          type: fc.oneof(fc.constantFrom('RolloutRecorded', 'RunFailed', 'Moon'), fc.string()),
        },
        ...{ version: any, run: any, stage: any, id: any, previous: any, extra: any },
        at: fc.oneof(fc.constant('2026-01-01T00:00:00Z'), any),
        actor: fc.oneof(fc.constant('human/ada'), any),
        causes: fc.oneof(fc.constant([]), fc.array(any)),
        data: fc.oneof(any, fc.dictionary(member, fc.jsonValue())),
      },
      { requiredKeys: ['stream', 'type'] },
    );
    await fc.assert(
      fc.asyncProperty(envelope, fc.constantFrom('people', 'json', 'cloudevents'), async (own, form) => {
        const event = new StoredEvent(own.stream, 0, own.type, '0'.repeat(32), 0, 'd', JSON.stringify(own), 'c');
        expect(await printed(event, form)).toMatch(/^.+\n$/);
      }),
    );
  });
});

async function printed(event: StoredEvent, form: string): Promise<string> {
  let out = '';
  const sink: Sink = {
    isTTY: false,
    columns: 80,
    write: async (text) => {
      out += String(text);
    },
  };
  const io = {
    stdin: process.stdin,
    stdout: sink,
    stderr: sink,
    env: {},
    cwd: '/',
    signal: new AbortController().signal,
  };
  const context = createContext(io, { json: form === 'json', quiet: false }, async () => 0);
  await formOf(context, form === 'cloudevents').write([event]);
  return out;
}

describe.skipIf(!hasPython)('a run with an event of an unknown type', () => {
  const place = placeWith({ ...tiny, name: 'mine' });

  async function continued(): Promise<Place> {
    const at = place();
    const [started] = lines((await at.icecore('event', 'tail', '--type', 'StageStarted', '--json')).stdout);
    at.write(
      'next.json',
      (JSON.parse(started ?? '{}') as { data: { configuration: { whole: unknown } } }).data.configuration.whole,
    );
    const ledger = await openLedger(`sqlite:${join(at.folder, '.icecore', 'ledger.db')}`);
    const { run: id } = await findRun(ledger, 'mine');
    await addForeign(ledger, { stream: `run-${id}`, type: 'MoonRisen', version: 1, run: id, stage: 1, data: {} });
    await ledger.close();
    return at;
  }

  it.each<[string, readonly string[]]>([
    ['resume', ['resume', 'mine', '--programs']],
    ['propose', ['propose', 'mine', '--engineer', 'rules']],
    ['adopt', ['adopt', 'next.json', '--run', 'mine']],
  ])('is refused by %s, which names the event and writes nothing', async (_, argv) => {
    const at = await continued();
    const before = await at.events();
    const ran = await at.icecore(...argv, '--json');
    expect(ran.code).toBe(1);
    expect(json(ran)).toMatchObject({ error: { kind: 'newer-format', type: 'MoonRisen', version: 1 } });
    expect(await at.events()).toBe(before);
  });

  it('can be forked at a stage before the event', async () => {
    const at = await continued();
    expect(await at.icecore('fork', 'mine@2', '--engineer', 'rules', '--name', 'twin')).toMatchObject({ code: 0 });
  });
});

it('this file tests every command that reads events', () => {
  const tried = readFileSync(new URL(import.meta.url), 'utf8');
  // The server answers by the verbs that are tried.
  const readNone = ['init', 'trust', 'lake', 'completion', 'demo', 'blob', 'list', 'serve'];
  const decide = ['run', 'resume', 'worker', 'fork', 'propose', 'adopt', 'stage', 'lab'];
  for (const { name } of commands.all) {
    const words = name.split(' ');
    if ([...readNone, ...decide].includes(words[0] ?? '')) continue;
    expect(tried).toMatch(new RegExp(`['\`]${words.join("(?: |', ')")}\\b`));
  }
});
