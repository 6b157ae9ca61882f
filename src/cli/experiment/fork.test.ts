// Forks of a run.
import { describe, expect, it } from 'vitest';
import { json, lines } from '../testing/harness.ts';
import { faultsAgainst } from '../testing/published.ts';
import { hasPython, type Place, placeWith, tiny } from './testing/place.ts';

const place = placeWith({ ...tiny, engineer: 'rules', name: 'mine' });

async function eventsOf({ icecore }: Place, run: string): Promise<Record<string, unknown>[]> {
  const { stdout } = await icecore('event', 'tail', '--stream', `run-${run}`, '--json', '-n', '1000');
  return lines(stdout).map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe.skipIf(!hasPython)('icecore fork', () => {
  it('without other options ends with the checkpoint of its parent, and copies none of its events', async () => {
    const at = place();
    const parent = json(await at.icecore('show', 'mine', '--json'));
    const before = await eventsOf(at, parent['run'] as string);
    const twin = json(await at.icecore('fork', 'mine@2', '--name', 'twin', '--json'));
    expect(faultsAgainst('fork', twin)).toEqual([]);
    const [mine, other] = [before, await eventsOf(at, twin['run'] as string)];
    const after = mine.findIndex(({ type }) => type === 'ContextRecorded');
    expect(other.map(({ type }) => type)).toEqual(['RunStarted', ...mine.slice(after).map(({ type }) => type)]);
    expect(twin).toMatchObject({ ended: 'completed', stages: 2, checkpoint: checkpointOf(mine) });
    const completed = mine.findIndex(({ type }) => type === 'StageCompleted');
    expect(other[0]).toMatchObject({
      data: { parent: { run: parent['run'], stage: 1, revision: completed, digest: mine[completed]?.['digest'] } },
    });
    expect(await eventsOf(at, parent['run'] as string)).toEqual(before);
    expect((await at.icecore('show', 'twin')).stdout).toMatch(/^twin: .*, fork of mine@2$/m);
    expect((await at.icecore('verify')).code).toBe(0);
  });

  it('prints a note only if it repeats the settings of its parent', async () => {
    const at = place();
    const said = 'has the settings of mine and repeats it from stage 2 on';
    expect((await at.icecore('fork', 'mine@2', '--engineer', 'rules', '--name', 'twin')).stderr).toContain(
      `twin ${said}; --engineer, --context or --seed would change something\n`,
    );
    for (const words of [
      ['--engineer', 'uniform'],
      ['--seed', '8'],
    ])
      expect((await at.icecore('fork', 'mine@2', ...words)).stderr).not.toContain(said);
  });

  it('is announced only if its engineer exists', async () => {
    const at = place();
    const forked = / shares stage 1 of mine and decides stage 2 again\n/;
    expect((await at.icecore('fork', 'mine@2', '--engineer', 'uniform')).stderr).toMatch(forked);
    const unknown = await at.icecore('fork', 'mine@2', '--engineer', 'rulez');
    expect(unknown.code).not.toBe(0);
    expect(unknown.stderr).not.toMatch(forked);
  });

  it('continues with another engineer, and can itself be forked', async () => {
    const at = place();
    const { run } = json(await at.icecore('show', 'mine', '--json'));
    const words = ['--engineer', 'uniform', '--max-tokens', '9000', '--name', 'even', '--tag', 'try'];
    const even = json(await at.icecore('fork', 'mine@2', ...words, '--json'));
    expect(even).toMatchObject({ ended: 'completed', stages: 2 });
    expect(checkpointOf(await eventsOf(at, even['run'] as string))).not.toBe(
      checkpointOf(await eventsOf(at, run as string)),
    );
    const parentOf = async (fork: string): Promise<unknown> => {
      const { run: forked } = json(await at.icecore('show', fork, '--json'));
      const [started] = await eventsOf(at, forked as string);
      return (started?.['data'] as { parent?: unknown } | undefined)?.parent;
    };
    await at.icecore('fork', 'even@2', '--engineer', 'human', '--context', 'v4', '--name', 'early');
    expect(await parentOf('early')).toMatchObject({ run, stage: 1 });
    await at.icecore('fork', 'even@3', '--engineer', 'human', '--stages', '3', '--name', 'late');
    expect(await parentOf('late')).toMatchObject({ run: even['run'], stage: 2 });
    expect((await at.icecore('context', 'early@2')).stderr).toContain('early@2, evidence through stage 1, v4');
  }, 20_000);

  it('refuses invalid options and writes nothing', async () => {
    const at = place();
    const before = await at.events();
    const refused: readonly [string[], string][] = [
      [['mine@3'], 'Set the total number of stages: --stages 3'],
      [['mine@2', '--stages', '1'], 'no stages are left after stage 1 of mine'],
      [['mine@4'], 'the next decision is for stage 3'],
      [['mine@1'], 'mine@1 is given, not decided'],
      [['mine@2', '--max-tokens', '20'], 'but the limit is 20'],
      [['mine@2', '--name', 'mine'], 'a run called mine exists already'],
      [['mine@2', '--name', 'a b'], '--name'],
      [['mine@2', '--engineer', 'ruls'], 'Did you mean rules?'],
      [['mine@2', '--context', 'v9'], 'there is no form or module "v9"'],
      [['mine@2', '--seed', 'x'], '--seed'],
      [['nobody@2'], 'there is no run "nobody"'],
    ];
    for (const [words, said] of refused) {
      const { code, stderr } = await at.icecore('fork', ...words);
      expect({ words, failed: code > 0, stderr }).toEqual({
        words,
        failed: true,
        stderr: expect.stringContaining(said),
      });
    }
    expect(await at.events()).toBe(before);
  });

  it('reports a parent that is missing from the ledger', async () => {
    const at = place();
    await at.icecore('fork', 'mine@2', '--engineer', 'fixed', '--name', 'off');
    const copied = await at.icecore('ledger', 'copy', 'sqlite:.icecore/ledger.db', 'sqlite:alone.db', '--run', 'off');
    expect(copied.code).toBe(0);
    const alone = await at.icecore('context', 'off@2', '--ledger', 'sqlite:alone.db');
    expect(alone).toMatchObject({ code: 1, stderr: expect.stringContaining('shares the history of run') });
    expect((await at.icecore('fork', 'off@2', '--ledger', 'sqlite:alone.db')).code).toBe(1);
  });
});

function checkpointOf(events: readonly Record<string, unknown>[]): unknown {
  const completed = events.find(({ type }) => type === 'RunCompleted');
  return (completed?.['data'] as { checkpoint?: { reference: string } } | undefined)?.checkpoint?.reference;
}
