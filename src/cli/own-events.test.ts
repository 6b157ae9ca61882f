// The command line as a part of a program that declares event types of its own: they come in and go out like icecore's.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { defineEvent } from '../../schemas/define-event.ts';
import { eventTypesWith } from '../../schemas/own-events.ts';
import { published } from '../../schemas/published.ts';
import { definePlugin } from '../library/plugins/index.ts';
import { icecore, json, lines, type Ran, temporaryFolder } from './testing/harness.ts';

const celsius = z.object({ gpu: z.int(), celsius: z.number() });
const throttled = defineEvent({
  ...{ type: 'acme.GpuThrottled', summary: 'A GPU became too hot.' },
  data: z.object({ gpu: z.int(), kelvin: z.number() }),
  before: [{ data: celsius, upcast: ({ gpu, celsius }) => ({ gpu, kelvin: Number(celsius) + 273.15 }) }],
});

const acme = definePlugin({ name: 'acme', events: [throttled] });
const stream = 'x-gpu';

function sent(index: number, data: object = { gpu: index, kelvin: 365.5 }): object {
  const id = `5f0e4a52-6c1b-4b7e-9d0a-3c2b1a0000${String(index).padStart(2, '0')}`;
  return { id, stream, type: 'acme.GpuThrottled', actor: 'producer/monitor', data };
}

type Icecore = (argv: readonly string[], stdin?: string) => Promise<Ran>;

/** With the type registered, and without. */
function place(): { readonly knowing: Icecore; readonly plain: Icecore } {
  const cwd = temporaryFolder();
  mkdirSync(join(cwd, '.icecore'));
  const plain: Icecore = (argv, stdin = '') => icecore(argv, { cwd, stdin });
  return { plain, knowing: (argv, stdin = '') => icecore(argv, { cwd, stdin, plugins: [acme] }) };
}

const ndjson = (events: readonly object[]): string => events.map((event) => `${JSON.stringify(event)}\n`).join('');

it('append accepts a registered type in current and former versions, and refuses invalid events', async () => {
  const { knowing, plain } = place();
  const good = ndjson([sent(0), { ...sent(1, { gpu: 1, celsius: 90 }), version: 1 }]);
  expect((await plain(['event', 'append'], good)).stderr).toContain('type: found "acme.GpuThrottled"');
  expect((await knowing(['event', 'append', '--dry-run'], good)).stdout).toContain('2 events could be appended');
  expect((await knowing(['event', 'append'], good)).stdout).toMatch(/^appended 2 events/);
  expect((await knowing(['event', 'append'], good)).stdout).toContain('2 already there');
  const bad = await knowing(['event', 'append', '--json'], ndjson([sent(2, { gpu: 'two', kelvin: 1 })]));
  expect(json(bad)).toMatchObject({ error: { kind: 'bad-input', field: 'data.gpu' } });
  expect((await knowing(['event', 'append'], ndjson([{ ...sent(3), type: 'acme.GpuThrotled' }]))).stderr).toContain(
    'perhaps "acme.GpuThrottled"',
  );
  const conflict = await knowing(['event', 'append'], ndjson([sent(4), sent(4, { gpu: 4, kelvin: 1 })]));
  expect(conflict.stderr).toMatch(/line 2: /);
});

it('the commands print and query a registered type, and call it unknown without the plugin', async () => {
  const { knowing, plain } = place();
  await knowing(['event', 'append'], ndjson([sent(0), { ...sent(1, { gpu: 1, celsius: 90 }), version: 1 }]));
  const shown = lines((await knowing(['event', 'tail'])).stdout);
  expect(shown).toEqual([
    expect.stringMatching(/ x-gpu@0 +acme\.GpuThrottled +producer\/monitor +gpu 0, kelvin 365\.5$/),
    expect.stringMatching(/ x-gpu@1 +acme\.GpuThrottled +producer\/monitor +gpu 1, kelvin 363\.1$/),
  ]);
  expect(lines((await plain(['event', 'tail'])).stdout)[1]).toMatch(
    /version 1 of a type not known here: celsius 90, gpu 1$/,
  );
  expect((await knowing(['event', 'show', 'x-gpu@1'])).stdout).toContain('1, shown as stored; read today as version 2');
  expect((await knowing(['event', 'tail', '--json'])).stdout).not.toContain('"known"');
  expect(
    lines((await knowing(['event', 'tail', '--type', 'acme.GpuThrottled', '--stream', stream])).stdout),
  ).toHaveLength(2);
  expect((await knowing(['event', 'tail', '--type', 'acme.GpuThrotled'])).stderr).toContain(
    'Did you mean acme.GpuThrottled?',
  );
  expect((await knowing(['ledger', 'head'])).code).toBe(0);
  for (const [ic, opaque] of [
    [knowing, 0],
    [plain, 2],
  ] as const) {
    expect(json(await ic(['verify', '--json']))).toMatchObject({ faults: 0, opaque });
    const rows = await ic([
      'sql',
      '--format',
      'csv',
      "SELECT data->>'gpu' FROM events WHERE type = 'acme.GpuThrottled' ORDER BY 1",
    ]);
    expect(rows.stdout).toContain('\n0\n1\n');
    expect(rows.stderr.includes('does not know')).toBe(opaque > 0);
  }
});

it.each([
  [['export', 'events']],
  [['export', 'events', '--format', 'cloudevents']],
  [['event', 'tail', '--json']],
  [['event', 'tail', '--cloudevents']],
])('%j prints what append accepts elsewhere, with the same digests', async (argv) => {
  const { knowing, plain } = place();
  const there = ['--ledger', 'sqlite:there.db'];
  await knowing(['event', 'append'], ndjson([sent(0), sent(1)]));
  const { stdout } = await plain(argv);
  if (argv.includes('cloudevents') || argv.includes('--cloudevents'))
    expect(stdout).toContain('"type":"acme.GpuThrottled"');
  expect((await plain(['event', 'append', ...there], stdout)).code).toBe(1);
  expect((await knowing(['event', 'append', ...there], stdout)).code).toBe(0);
  expect(json(await knowing(['ledger', 'head', ...there]))['root']).toBe(
    json(await knowing(['ledger', 'head']))['root'],
  );
});

it('the JSON Schemas include a registered type', () => {
  const [documents, usual] = [published(eventTypesWith([throttled])), published()];
  expect([...documents.keys()].filter((file) => !usual.has(file))).toEqual([
    'acme.GpuThrottled.v1.json',
    'acme.GpuThrottled.v2.json',
  ]);
  expect(JSON.stringify(documents.get('event.json'))).toContain('acme.GpuThrottled');
});
