// A person decides over HTTP: the data for the page, and what is recorded.
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type NextDecision, nextDecision } from '../../schemas/next-output.ts';
import { Recording, wholeRun } from '../analysis/history/testing/recording.ts';
import { temporaryFolder } from '../base/testing/temporary-folder.ts';
import { placeWith } from '../cli/runs/testing/looking.ts';
import { openWorkspace, type Workspace } from '../index.ts';
import { tinySettings } from '../producers/run/testing/tiny.ts';
import { type Served, served } from './testing/served.ts';

const whole = mkdtempSync(join(tmpdir(), 'icecore-decisions-'));

async function opened(cwd: string): Promise<Workspace> {
  return await openWorkspace({ cwd, env: { HOME: cwd, XDG_CONFIG_HOME: join(cwd, 'user') } });
}

/** A run of two stages that waits for a person, and a proposal. */
beforeAll(async () => {
  const workspace = await opened(whole);
  const waiting = await workspace.run({ ...tinySettings(), name: 'mine', engineer: 'human', jobs: 1 });
  expect(waiting.ended).toBe('waiting');
  await workspace.propose('mine', { engineer: 'rules', context: 'failures' });
  await workspace.close();
}, 120_000);
afterAll(() => rmSync(whole, { recursive: true, force: true }));

const json = { 'content-type': 'application/json' };

interface Deciding {
  readonly cwd: string;
  readonly server: Served;
  readonly next: NextDecision;
  readonly adopt: (decision: unknown) => Promise<readonly [status: number, answer: Record<string, unknown>]>;
  readonly decisions: () => Promise<number>;
}

async function deciding(): Promise<Deciding> {
  const cwd = temporaryFolder();
  cpSync(whole, cwd, { recursive: true });
  const server = await served(cwd);
  const next = nextDecision.parse(await server.json('/runs/mine/next'));
  const adopt: Deciding['adopt'] = async (decision) => {
    const body = typeof decision === 'string' ? decision : JSON.stringify(decision);
    const answer = await server.request('/runs/mine/adopt', { method: 'POST', headers: json, body });
    return [answer.status, (await answer.json()) as Record<string, unknown>];
  };
  const decisions = async (): Promise<number> =>
    ((await server.json('/events?type=ConfigAdopted&limit=100')) as { rows: unknown[] }).rows.length;
  return { cwd, server, next, adopt, decisions };
}

/** A knob that is not a share, and another allowed value. */
function aChange({ knobs, shares }: NextDecision): {
  readonly knob: string;
  readonly from: number;
  readonly to: number;
} {
  const isShare = (name: string): boolean => shares.some((one) => one.knobs.includes(name));
  const found = knobs.find(({ knob, value, min, step }) => !isShare(knob) && value !== null && value - step >= min);
  if (found === undefined || found.value === null) throw new Error('no knob can be lowered');
  return { knob: found.knob, from: found.value, to: Number((found.value - found.step).toFixed(6)) };
}

describe('the next decision', () => {
  it('has the knobs with their ranges, the proposals and their contexts', async () => {
    const { next } = await deciding();
    expect(next).toMatchObject({
      ...{ name: 'mine', environment: 'lake', engineer: 'human', state: 'stopped' },
      ...{ stage: 2, stages: 2, due: true, note: null, waiting: true, holder: null },
      proposals: [{ engineer: 'rules', rationale: expect.anything() }],
      contexts: [{ form: 'training+stats+behaviour+failures+history' }, { form: 'failures' }],
    });
    expect(next.proposals[0]?.context).toBe(next.contexts[1]?.digest);
    for (const { value, min, max, may_change } of next.knobs) {
      expect(may_change).toBe(min < max);
      expect(value === null || (value >= min && value <= max)).toBe(true);
    }
  });

  it('is not due once it is made, and notes who decided', async () => {
    const { server, next, adopt } = await deciding();
    const { knob, to } = aChange(next);
    await adopt({ changes: { [knob]: to } });
    expect(await server.json('/runs/mine/next')).toMatchObject({
      ...{ stage: 2, due: false, waiting: false },
      note: expect.stringMatching(/^the configuration of stage 2 is decided already: by human, /),
    });
  });

  it('of a run that another program recorded is readable, but cannot be made', async () => {
    const { cwd } = await placeWith(wholeRun());
    const server = await served(cwd);
    const why = 'another program recorded quiet-otter, so icecore cannot continue it';
    expect(await server.json('/runs/latest/next')).toMatchObject({
      name: 'quiet-otter',
      due: false,
      own: false,
      note: why,
    });
    const sent = { method: 'POST', headers: json, body: '{"changes": {}}' };
    const refused = await server.request('/runs/latest/adopt', sent);
    expect([refused.status, await refused.json()]).toMatchObject([409, { error: { kind: 'conflict', message: why } }]);
  });

  it('of a run without a descriptor of its environment does not exist', async () => {
    const bare = new Recording('k3v9q2m8x1tz');
    bare.add('RunStarted', null, { name: 'bare', environment: { name: 'chess' } });
    bare.add('StageStarted', 1, {});
    bare.add('StageCompleted', 1, {});
    const { cwd } = await placeWith(bare);
    const answer = await (await served(cwd)).request('/runs/latest/next');
    expect([answer.status, await answer.json()]).toMatchObject([
      404,
      { error: { message: 'bare has no next decision: its environment is recorded without a descriptor' } },
    ]);
  });

  it('is not found for an unknown run, and invalid for a stage', async () => {
    const { server } = await deciding();
    expect((await server.request('/runs/nobody/next')).status).toBe(404);
    expect((await server.request('/runs/mine@1/next')).status).toBe(400);
  });
});

describe('a decision', () => {
  it('is recorded with its changes, reasons and actor', async () => {
    const { server, next, adopt } = await deciding();
    const { knob, from, to } = aChange(next);
    const [status, answer] = await adopt({
      ...{ changes: { [knob]: to }, current: next.current, stage: next.stage, actor: 'human/ada' },
      ...{ reason: 'too hard <b>so far</b>', reasons: { [knob]: { reason: 'fewer falls' } } },
    });
    expect([status, answer]).toMatchObject([
      200,
      {
        ...{ name: 'mine', stage: 2, next: 'icecore resume mine' },
        adopted: {
          ...{ by: 'human', previous: next.current, rationale: 'too hard <b>so far</b>' },
          changes: [{ knob, from, to, reason: 'fewer falls', cites: null }],
        },
      },
    ]);
    expect(await server.json('/runs/mine@2/why')).toMatchObject({ decision: { by: 'human', who: 'human/ada' } });
  });

  it('may adopt a recorded proposal, and cite evidence of its context', async () => {
    const { server, next, adopt } = await deciding();
    const [proposal] = next.proposals;
    const { rows } = (await server.json('/events?type=ContextRecorded')) as {
      rows: { data: { evidenceIds: Record<string, unknown> } }[];
    };
    const [evidenceId = ''] = Object.keys(rows[0]?.data.evidenceIds ?? {});
    const [status, answer] = await adopt({
      ...{ configuration: proposal?.configuration.whole, proposal: proposal?.event, context: proposal?.context },
      ...{ rationale: 'as proposed', cites: [evidenceId] },
    });
    expect([status, answer]).toMatchObject([200, { adopted: { proposal: proposal?.event, rationale: 'as proposed' } }]);
    const { changes } = (answer as { adopted: { changes: { cites: unknown }[] } }).adopted;
    expect(changes.length).toBeGreaterThan(0);
    for (const { cites } of changes) expect(cites).toEqual([evidenceId]);
  });

  it('of two concurrent clients is recorded once, and the other client gets a conflict', async () => {
    const { next, adopt, decisions } = await deciding();
    const { knob, to, from } = aChange(next);
    const before = await decisions();
    const both = await Promise.all([adopt({ changes: { [knob]: to } }), adopt({ changes: { [knob]: from } })]);
    expect(both.map(([status]) => status).toSorted()).toEqual([200, 409]);
    const [, refused] = both.find(([status]) => status === 409) ?? [];
    expect(refused).toMatchObject({
      error: { kind: 'conflict', message: expect.stringMatching(/is decided already|is held by/) },
    });
    expect(await decisions()).toBe(before + 1);
  });

  it('of concurrent clients of two servers is recorded once', async () => {
    const { cwd, next, decisions } = await deciding();
    const before = await decisions();
    const { knob, to } = aChange(next);
    const init = { method: 'POST', headers: json, body: JSON.stringify({ changes: { [knob]: to } }) };
    const servers = [await served(cwd), await served(cwd)];
    const answers = await Promise.all(servers.map((one) => one.request('/runs/mine/adopt', init)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expect(await decisions()).toBe(before + 1);
  });

  it('based on another configuration than the current one is rejected', async () => {
    const { next, adopt, decisions } = await deciding();
    const { knob, to } = aChange(next);
    const before = await decisions();
    const [status, answer] = await adopt({ changes: { [knob]: to }, current: '0'.repeat(64) });
    expect([status, answer]).toMatchObject([409, { error: { kind: 'conflict' } }]);
    expect(await decisions()).toBe(before);
  });

  const refused: readonly [what: string, decision: (next: NextDecision) => unknown, status: number, said: string][] = [
    ['no content', () => ({}), 400, 'neither of configuration and changes'],
    ['both forms', ({ configuration }) => ({ configuration, changes: {} }), 400, 'both of configuration and changes'],
    ['an unknown knob', () => ({ changes: { 'no.such': 1 } }), 404, 'has no knob'],
    ['a value out of range', (next) => ({ changes: { [aChange(next).knob]: 1e9 } }), 400, 'found 1000000000'],
    ['a text as a value', (next) => ({ changes: { [aChange(next).knob]: '1' } }), 400, 'changes'],
    ['an unknown key', () => ({ changes: {}, becuase: 'x' }), 400, 'becuase'],
    [
      'evidence that was not in the context',
      (next) => ({ changes: { [aChange(next).knob]: aChange(next).to }, cites: ['F77'] }),
      404,
      'F77',
    ],
    ['another stage', () => ({ changes: {}, stage: 7 }), 400, '7'],
    ['a list', () => [], 400, ''],
    ['invalid JSON', () => '{', 400, 'not JSON'],
    ['unclosed brackets', () => '['.repeat(100_000), 400, ''],
    ['a deep configuration', () => `{"configuration":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}}`, 400, ''],
  ];

  it.each(refused)('with %s is rejected, and nothing is recorded', async (_, decision, status, said) => {
    const { next, adopt, decisions } = await deciding();
    const before = await decisions();
    const [found, answer] = await adopt(decision(next));
    expect([found, answer]).toMatchObject([status, { error: { message: expect.stringContaining(said) } }]);
    expect(await decisions()).toBe(before);
  });
});
