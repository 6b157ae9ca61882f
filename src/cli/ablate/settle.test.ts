// The command that an ablation names to settle what it leaves inconclusive can be typed as printed.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Ablated, Settle } from '../../../schemas/ablation-output.ts';
import { settleOf } from '../../analysis/ablation/settle.ts';
import { tenSeedsTrained } from '../../analysis/ablation/testing/ablations.ts';
import { ablationAnswer } from '../../analysis/ablation/view/answer.ts';
import { noColours } from '../../base/terminal.ts';
import { terminalText } from '../../document/terminal.ts';
import { type AblationPlanOptions, queryFrom } from '../../library/ablation/query.ts';
import type { Ledger } from '../../library/ledger.ts';
import type { RunReference } from '../../library/reference.ts';
import type { AblationRecord } from '../../producers/ablation/record.ts';
import { tinySettings } from '../../producers/run/testing/tiny.ts';
import { lastingFolder } from '../demo/testing/demo.ts';
import { inFolder, json, lines } from '../testing/harness.ts';
import { typedFor } from '../testing/typed.ts';

/** Splits the line as a shell does. */
function shellWords(line: string): readonly string[] {
  return execFileSync('bash', ['-c', `printf '%s\\0' ${line}`], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1);
}

describe('an ablation without training', () => {
  const folder = lastingFolder();
  const asked = ['ablate', 'mine', '--decisions', '2', '--engineer', 'rules', '--context', 'failures,behaviour'];
  beforeAll(async () => {
    const { name: _, ...settings } = tinySettings({ engineer: 'rules' });
    writeFileSync(join(folder, 'run.json'), JSON.stringify(settings));
    expect(await inFolder(folder)('run', '--file', 'run.json', '--name', 'mine', '--quiet')).toMatchObject({ code: 0 });
  });

  it('ends with a command that trains the two arms with the fewest seeds that can be significant', async () => {
    const { settle } = json(await inFolder(folder)(...asked, '--json')) as { readonly settle: Settle };
    const { stdout } = await inFolder(folder)(...asked);
    expect(lines(stdout).at(-1)).toBe(`  ${settle.command}`);
    expect(stdout).toMatch(
      /^To find out whether \S+ trains better than \S+, run this: 6 seeds \(the fewest that can be significant\), about \d+ s of training:$/m,
    );
    expect(settle.command).toMatch(/ --seed 1-6$/);
    const [icecore, ...words] = shellWords(settle.command);
    expect(icecore).toBe('icecore');
    const plan = json(await inFolder(folder)(...words, '--plan', '--json'));
    expect(plan).toMatchObject({
      state: 'new',
      depth: 'train',
      seconds: settle.seconds,
      histories: [{ name: 'mine', decisions: [2] }],
      contrasts: [{ arm: settle.arm, reference: settle.reference }],
    });
    expect(plan['units']).toHaveLength(6);
    expect((plan['arms'] as readonly { readonly arm: string }[]).map(({ arm }) => arm).toSorted()).toEqual(
      [settle.arm, settle.reference].toSorted(),
    );
  });

  it('repeats the --ledger option in that command', async () => {
    const ledger = `sqlite:${join(folder, '.icecore', 'ledger.db')}`;
    const { stdout } = await inFolder(folder)(...asked, '--ledger', ledger);
    expect(lines(stdout).at(-1)).toMatch(new RegExp(`^  icecore --ledger ${ledger} ablate mine `));
  });

  it('suggests no command for the next decision, which cannot be trained yet', async () => {
    const next = json(await inFolder(folder)('ablate', 'mine@next', ...asked.slice(4), '--json'));
    expect(next).toMatchObject({ state: 'completed', settle: null });
  });
});

describe('the command that settles a contrast', () => {
  const ledger = { read: async function* () {} } as unknown as Ledger;

  async function settled(ablated: Ablated, engineers: readonly (string | string[])[], budget?: Record<string, number>) {
    const options = { choice: { kind: 'as-named' }, engineers, units: [] };
    const record = { options, started: { data: budget === undefined ? {} : { budget } } } as unknown as AblationRecord;
    const settle = await settleOf(ledger, record, ablated);
    if (settle === null) return null;
    const [, , ...words] = shellWords(settle.command);
    const typed = await typedFor<{ readonly runs: readonly RunReference[] }, AblationPlanOptions>('ablate', words);
    return { settle, query: queryFrom(typed.args.runs, typed.options), typed: typed.options };
  }

  // As if each contrast had been tested alone.
  const corrected = tenSeedsTrained();
  const ten = { ...corrected, comparisons: corrected.comparisons.map(({ adjusted: _, ...one }) => one) };
  const open = ten.comparisons.find(({ verdict, factor }) => verdict === 'inconclusive' && factor === undefined);

  it('uses new seeds, as many as needed, and the margin and budget of the ablation', async () => {
    const only = { ...ten, margin: 0.02, comparisons: open === undefined ? [] : [{ ...open, unitsNeeded: 24 }] };
    const found = await settled(only, ['rules', 'base', 'checkpoint', 'gpt', 'random'], { 'agent-steps': 90_000 });
    expect(found?.settle).toMatchObject({ arm: open?.arm, seeds: 24, seconds: null, depth: 'train' });
    expect(found?.query).toMatchObject({ depth: 'train', margin: 0.02, budget: { 'agent-steps': 90_000 } });
    expect(found?.query.seeds).toHaveLength(24);
    const trained = only.units.map(({ seed }) => Number(seed));
    expect(found?.query.seeds?.filter((seed) => trained.includes(Number(seed)))).toEqual([]);
    expect(found?.query.contrasts).toEqual([`${open?.arm}:${open?.reference}`]);
  });

  it('uses the seeds estimated from a few, but never fewer than can be significant', async () => {
    const few = { ...ten, units: ten.units.slice(0, 3) };
    const taking = (unitsNeeded: number) => ({
      ...few,
      comparisons: open === undefined ? [] : [{ ...open, unitsNeeded }],
    });
    const found = await settled(taking(146), ['rules', 'base', 'checkpoint', 'gpt']);
    expect(found?.settle.seeds).toBe(146);
    expect(found?.query.seeds).toHaveLength(146);
    expect((await settled(taking(4), ['rules', 'base', 'checkpoint', 'gpt']))?.settle.seeds).toBe(6);
  });

  it('uses the seeds that its contrast needs alone, without the correction for multiple tests', async () => {
    const one = corrected.comparisons.find(({ arm, reference }) => arm === open?.arm && reference === open.reference);
    if (one?.unitsNeeded === undefined) return expect.fail();
    expect(one.adjusted).toBeGreaterThan(Number(one.p));
    const found = await settled({ ...corrected, comparisons: [one] }, ['rules', 'base', 'checkpoint', 'gpt', 'random']);
    expect(found?.settle.seeds).toBeLessThan(one.unitsNeeded);
  });

  it('names only the two engineers of a main effect', async () => {
    const effect = { ...open, factor: 'engineer', arm: 'base', reference: 'rules', unitsNeeded: 12 };
    const comparisons = [effect] as unknown as Ablated['comparisons'];
    const found = await settled({ ...ten, comparisons }, ['rules', 'base', 'checkpoint', 'gpt']);
    expect(found?.query.engineers).toEqual(['rules', 'base']);
  });

  it('is replaced by the reason if more than 1,000 seeds would be needed', async () => {
    const taking = (unitsNeeded: number) => ({
      ...ten,
      comparisons: open === undefined ? [] : [{ ...open, unitsNeeded }],
    });
    expect(await settled(taking(1000), ['rules', 'base', 'checkpoint', 'gpt'])).not.toBe(null);
    expect(await settled(taking(1001), ['rules', 'base', 'checkpoint', 'gpt'])).toBe(null);
    const shown = terminalText(ablationAnswer(taking(1001)), { isTTY: false, columns: 80, paint: noColours });
    expect(shown).toContain(
      'No command is suggested to settle what is inconclusive: differences this small take about 1,001 seeds.',
    );
  });

  it('skips contrasts that 1,000 seeds would not settle, and lists them', async () => {
    const others = ten.comparisons.filter(({ factor }) => factor === undefined).slice(0, 2);
    const [small, large] = others.map((one) => ({ ...one, verdict: 'inconclusive' as const }));
    if (small === undefined || large === undefined) return expect.fail();
    const { unitsNeeded: _, ...hopeless } = { ...small, declared: true, difference: 0.0001 };
    const comparisons = [hopeless, { ...large, declared: false, unitsNeeded: 40 }];
    const found = await settled({ ...ten, comparisons }, ['rules', 'base', 'checkpoint', 'gpt']);
    expect(found?.settle).toMatchObject({ arm: large.arm, reference: large.reference, seeds: 40 });
    const answer = ablationAnswer({ ...ten, comparisons, settle: found?.settle ?? null });
    expect(terminalText(answer, { isTTY: false, columns: 200, paint: noColours })).toContain(
      `Differences too small for 1,000 seeds to settle: ${small.arm} against ${small.reference}.`,
    );
  });

  it('uses the fewest seeds if two do not allow an estimate', async () => {
    const others = ten.comparisons.filter(({ factor }) => factor === undefined).slice(0, 3);
    const [none, small, large] = others.map(({ unitsNeeded: _, ...one }, i) => ({
      ...{
        ...one,
        verdict: 'inconclusive' as const,
        declared: i === 0,
        units: 2,
        difference: [0, 0.001, 0.057][i] ?? 0,
      },
    }));
    if (none === undefined || small === undefined || large === undefined) return expect.fail();
    const two = { ...ten, units: ten.units.slice(0, 2), comparisons: [none, small, large] };
    const found = await settled(two, ['rules', 'base', 'checkpoint', 'gpt']);
    expect(found?.settle).toMatchObject({ arm: large.arm, seeds: 6 });
    const answer = ablationAnswer({ ...two, settle: found?.settle ?? null });
    const text = terminalText(answer, { isTTY: false, columns: 200, paint: noColours });
    expect(text).toContain('run this: 6 new seeds, the old ones not counted (the fewest that can be significant)');
    expect(text).not.toContain('No command is suggested');
  });

  it('keeps the arguments of programs, with their spaces and commas', async () => {
    const program = ['python3', 'my engineer.py', '--only', 'a,b'];
    const arms = ten.arms.map((one) => ({ ...one, arm: one.arm.replace(/^rules\//, 'command/') }));
    const contrast = { ...open, arm: 'command/failures', reference: 'command/stats', unitsNeeded: 12 };
    const comparisons = [contrast] as unknown as Ablated['comparisons'];
    const found = await settled({ ...ten, arms, comparisons }, [program, 'base', 'checkpoint', 'gpt']);
    expect(found?.query.engineers).toEqual([program]);
    expect(found?.typed.contexts).toEqual(['failures', 'stats']);
  });

  it('is missing if everything is settled, nothing can be settled, or the ablation is not complete', async () => {
    const significant = ten.comparisons.filter(({ verdict }) => verdict === 'significant');
    expect(await settled({ ...ten, comparisons: significant }, ['rules'])).toBe(null);
    const hopeless = ten.comparisons.map(({ unitsNeeded: _, ...one }) => one);
    expect(await settled({ ...ten, comparisons: hopeless }, ['rules'])).toBe(null);
    expect(await settled({ ...ten, state: 'under-way' }, ['rules'])).toBe(null);
  });
});
