// A rollout for a page: the recorded data, and the pictures of its environment.
import { describe, expect, it } from 'vitest';
import type { Envelope } from '../../schemas/envelope.ts';
import { type RolloutShown, rolloutShown } from '../../schemas/rollout-output.ts';
import { streamOf } from '../../schemas/streams.ts';
import { lake } from '../../testbed/plugin.ts';
import { Recording } from '../analysis/history/testing/recording.ts';
import { placeWhere } from '../cli/runs/testing/looking.ts';
import { openWorkspace } from '../index.ts';
import type { Task } from '../lab/environments/environment.ts';
import { rolloutIn } from '../ledger/contract/samples.ts';
import { type Served, served } from './testing/served.ts';

const run = 'rolloutsrun1';
const stream = streamOf.evidence(run, 1, 0, 1);

type Data = Readonly<Record<string, unknown>>;

interface RolloutServer {
  readonly server: Served;
  readonly cwd: string;
  readonly show: (reference: string) => Promise<RolloutShown>;
}

/** A run on the lake with these rollouts at revisions 0, 1, 2, ... of its stream. */
async function withRollouts(...rollouts: readonly Data[]): Promise<RolloutServer> {
  const environment = await lake.open({ knobs: [] });
  const { descriptor } = environment;
  await environment.close();
  const started = new Recording(run);
  started.add('RunStarted', null, { name: 'first', environment: { name: 'lake' }, descriptor } as never);
  const { cwd } = await placeWhere((ledger) => started.writeTo(ledger));
  const workspace = await openWorkspace({ cwd, env: { HOME: cwd, XDG_CONFIG_HOME: `${cwd}/user` } });
  const events = rollouts.map((data, i) => {
    const { seed: _, reward: __, ...sample } = rolloutIn(stream, i).data;
    return { ...rolloutIn(stream, i), stream, data: { ...sample, ...data } };
  });
  const text = events.map((event) => `${JSON.stringify(event)}\n`).join('');
  const headers = { 'content-type': 'application/x-ndjson' };
  await workspace.close();
  const server = await served(cwd);
  const stored = await server.request('/events', { method: 'POST', headers, body: text });
  expect(await stored.text()).not.toContain('refused');
  const show = async (reference: string): Promise<RolloutShown> =>
    rolloutShown.parse(await server.json(`/rollouts/${encodeURIComponent(reference)}`));
  return { server, cwd, show };
}

async function aTask(): Promise<Task> {
  const environment = await lake.open({ knobs: [] });
  const request = { configuration: environment.start, split: 'train', count: 1, seed: 'shown' } as const;
  const { value } = await environment.generate(request).next();
  await environment.close();
  if (value === undefined || !('instance' in value)) throw new Error('the lake made no task');
  return value;
}

/** A rollout of the lake as a run records it. */
function tried({ id, digest, facts, family, instance }: Task, answer: unknown, verdict: Data): Data {
  return { family, task: { id, digest, facts, inline: instance }, answer, ...verdict };
}

const idAt = (index: number): string => rolloutIn(stream, index).id;

describe('a rollout', () => {
  it('has its recorded data, a picture of each step, and the optimal plan', async () => {
    const task = await aTask();
    const agents = (task.instance as { agents: readonly unknown[] }).agents.length;
    const answer = Array.from({ length: agents }, () => 'W');
    const failures = [{ class: 'goal-missed', step: 1, message: 'step 1: goal-missed a' }];
    const failed = { outcome: 'goal-missed', success: false, failureClass: 'goal-missed', failures, reward: 0 };
    const { show } = await withRollouts(tried(task, answer, { ...failed, agentSteps: agents }));
    const shown = await show(idAt(0));
    expect(shown).toMatchObject({
      ...{ event: idAt(0), stream, revision: 0, run, name: 'first', stage: 1, part: 0, sealed: false },
      ...{ environment: 'lake', split: 'probe', family: task.family, success: false, steps: agents },
      outcome: { name: 'goal-missed', meaning: expect.any(String) },
      failures: [{ class: 'goal-missed', step: 1, says: 'step 1: goal-missed a', meaning: expect.any(String) }],
      reward: { value: 0, reason: null },
      task: { id: task.id, digest: task.digest, instance: task.instance },
      pictures: { legend: expect.any(String), note: null },
    });
    const { drawing, plan } = shown.pictures;
    expect(drawing?.frames?.[0]?.says).toBe('start');
    expect(drawing?.frames).toHaveLength(2);
    expect(drawing?.frames?.[1]?.says).toMatch(/^step 1: .* not reach /);
    expect(plan?.frames?.at(-1)?.says).toContain('every agent is at its goal');
    const optimum = await optimalCost(task, plan?.answer);
    expect(optimum).toBe(task.facts['optimalCost']);
    for (const { svg } of [...(drawing?.frames ?? []), ...(plan?.frames ?? [])])
      expect(svg).toMatch(/^<svg\b(?![\s\S]*<script)[\s\S]*<\/svg>$/);
  });

  it('has only the requested pictures', async () => {
    const task = await aTask();
    const agents = (task.instance as { agents: readonly unknown[] }).agents.length;
    const waits = Array.from({ length: agents }, () => 'WW');
    const failures = [{ class: 'goal-missed', step: 1, message: 'step 1: goal-missed a' }];
    const failed = { outcome: 'goal-missed', success: false, failureClass: 'goal-missed', failures, reward: 0 };
    const { server } = await withRollouts(tried(task, waits, { ...failed, agentSteps: 2 * agents }));
    const pictures = async (query: string): Promise<RolloutShown['pictures']> =>
      rolloutShown.parse(await server.json(`/rollouts/${idAt(0)}?${query}`)).pictures;
    const all = (await pictures('frames=all')).drawing;
    expect(all?.frames).toHaveLength(3);
    expect(await pictures('frames=none')).toMatchObject({
      drawing: { svg: all?.svg, animation: null, frames: null },
      plan: { animation: null, frames: null },
    });
    const only = async (choice: string) => (await pictures(`frames=${choice}&plan=false`)).drawing?.frames;
    expect([await only('first'), await only('failed'), await only('last')]).toEqual(all?.frames?.map((one) => [one]));
    expect(await pictures('plan=false')).toMatchObject({ drawing: all, plan: null, note: null });
    const wrong = await server.request(`/rollouts/${idAt(0)}?frames=some`);
    expect([wrong.status, await wrong.json()]).toMatchObject([400, { error: { kind: 'usage', field: 'frames' } }]);
  });

  it('has failures recorded after it', async () => {
    const { server, show } = await withRollouts({ outcome: 'hole', success: false });
    const failure: Partial<Envelope> & { readonly stream: string } = {
      ...rolloutIn(stream, 9),
      ...{ stream, type: 'FailureRecorded' },
      data: {
        ...{ rollout: idAt(0), environment: 'lake', split: 'probe' },
        failures: [{ class: 'hole', step: 2, message: 'b falls' }, { class: 'goal-missed' }],
      },
    };
    const headers = { 'content-type': 'application/json' };
    await server.json('/events', { method: 'POST', headers, body: JSON.stringify(failure) });
    expect((await show(`${stream}@0`)).failures).toMatchObject([
      { class: 'hole', step: 2, says: 'b falls' },
      { class: 'goal-missed', step: null, says: null },
    ]);
  });

  it('of an unregistered environment has its details, and a note why it is not drawn', async () => {
    const details = { kind: 'chess/game', content: { moves: ['e4', 'e5'], board: { size: 8 } } };
    const { show } = await withRollouts({ environment: 'chess', outcome: 'lost', details, expected: 'Nf3' });
    expect(await show(idAt(0))).toMatchObject({
      ...{ environment: 'chess', details, expected: 'Nf3', answer: null },
      outcome: { name: 'lost', meaning: null },
      pictures: {
        ...{ legend: null, drawing: null, plan: null },
        note: 'not drawn: no environment "chess" is registered here',
      },
    });
  });

  it('with a missing or invalid task has no pictures, and a note', async () => {
    const { show } = await withRollouts({}, { task: { inline: { size: -1, holes: 'none' } }, answer: ['R'] });
    expect((await show(idAt(0))).pictures).toMatchObject({
      ...{ drawing: null, plan: null },
      note: 'not drawn: its event does not hold the task',
    });
    const { drawing, note } = (await show(idAt(1))).pictures;
    expect([drawing, note]).toEqual([null, expect.stringContaining('not drawn: ')]);
  });
});

async function optimalCost(task: Task, answer: unknown): Promise<unknown> {
  const environment = await lake.open({ knobs: [] });
  try {
    for await (const verdict of environment.judge([{ task, answer }]))
      return 'metrics' in verdict ? verdict.metrics['cost'] : null;
  } finally {
    await environment.close();
  }
  return null;
}

describe('a text of a rollout', () => {
  it('is returned as JSON without control characters', async () => {
    const hostile = '<script>alert(1)</script>\u202e\u001b[31m';
    const { server, show } = await withRollouts({ prompt: { text: hostile }, completion: { text: '' } });
    const answer = await server.request(`/rollouts/${idAt(0)}`);
    expect(answer.headers.get('content-type')).toBe('application/json');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: those that control a terminal
    expect(await answer.text()).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
    expect(await show(idAt(0))).toMatchObject({
      prompt: { text: hostile, state: 'whole', note: null },
      completion: { text: '', state: 'whole', bytes: 0 },
      reasoning: null,
    });
  });

  it('is truncated after 1,000,000 bytes at a whole character', async () => {
    const prompt = `${'x'.repeat(999_999)}é and more`;
    const { show } = await withRollouts({ prompt: { text: prompt }, completion: { text: 'y'.repeat(40_000) } });
    const shown = await show(idAt(0));
    expect(shown.prompt).toEqual({
      text: 'x'.repeat(999_999),
      state: 'shortened',
      bytes: Buffer.byteLength(prompt),
      note: 'only the first 1,000,000 of 1,000,010 bytes are shown',
    });
    expect(shown.completion).toMatchObject({ text: 'y'.repeat(40_000), state: 'whole', bytes: 40_000 });
  });

  it('that was redacted is omitted, with a note', async () => {
    const { cwd, show } = await withRollouts({ prompt: { text: `a secret ${'z'.repeat(40_000)}` } });
    const workspace = await openWorkspace({ cwd, env: { HOME: cwd, XDG_CONFIG_HOME: `${cwd}/user` } });
    await workspace.redact([idAt(0)], { reason: 'a name' });
    await workspace.close();
    const { prompt } = await show(idAt(0));
    expect(prompt).toMatchObject({ text: null, state: 'erased', note: expect.stringMatching(/^it was erased: see /) });
  });
});

describe('an invalid rollout address', () => {
  it('gets 404 if there is no such rollout, else 400', async () => {
    const { server } = await withRollouts({});
    const statusOf = async (reference: string): Promise<unknown[]> => {
      const answer = await server.request(`/rollouts/${reference}`);
      const { error } = (await answer.json()) as { error: { kind: string } };
      return [answer.status, error.kind];
    };
    expect(await statusOf('00000000-0000-4000-8000-000000000000')).toEqual([404, 'not-found']);
    expect(await statusOf(`run-${run}@0`)).toEqual([400, 'usage']);
    for (const reference of ['..%2F..%2Fetc%2Fpasswd', '%2e%2e%2fledger.db', 'a%00b', 'x'.repeat(900), "1' OR 1=1"])
      expect((await statusOf(encodeURIComponent(decodeURIComponent(reference))))[0], reference).toBe(400);
    expect((await server.request('/rollouts/../runs')).status).toBe(200);
    expect((await server.request('/rollouts/')).status).toBe(404);
  });
});
