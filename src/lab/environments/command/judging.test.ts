import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isRunning } from '../../programs/testing/running.ts';
import { listed } from '../contract/tasks.ts';
import type { Try, Verdict } from '../environment.ts';
import { ProgramDied, ProgramSilent, ProgramTalksNonsense } from './faults.ts';
import { opened, task } from './testing/programs.ts';

/** A judge that does with an answer what the answer says. */
const obedient = `judge(r) {
  const verdict = { ...heads, understood: r.answer };
  switch (r.answer) {
    case 'die': process.exit(5);
    case 'hang': while (true);
    case 'shout': print('WARNING: deprecated\\n'); break;
    case 'refuse': return say({ request: r.request, error: { message: 'no coin in sight' } });
    case 'mumble': return say({ request: r.request, verdict: { outcome: 'heads' } });
    case 'edge': return say({ request: r.request, verdict: { outcome: 'edge', success: true } });
    case 'both': return say({ request: r.request, verdict: { outcome: 'tails', success: true, failures: [{ class: 'tails' }] } });
    case 'neither': return say({ request: r.request, verdict: { outcome: 'tails', success: false } });
    case 'deep': verdict.understood = JSON.parse('['.repeat(400) + ']'.repeat(400));
    case 'spoil': if (r.answer === 'spoil') return say({ request: r.request, verdict: { spoilt: { kind: 'lost', message: 'it rolled away' } } });
  }
  say({ request: r.request, verdict });
}`;

const tries = (answers: readonly unknown[]): Try[] => answers.map((answer) => ({ task, answer }));

/** The kind in which each was spoilt, or what was understood. */
function came(verdicts: readonly Verdict[]): unknown[] {
  return verdicts.map((verdict) => ('spoilt' in verdict ? verdict.spoilt.kind : verdict.understood));
}

describe('judging by a program', () => {
  it.each([
    ['die', 'crashed', /exit code 5 while it was asked to judge/],
    ['hang', 'timeout', /said nothing for 0.2 s while it was asked to judge, and was stopped/],
    ['shout', 'nonsense', /a line that is no JSON/],
    ['refuse', 'refused', /^no coin in sight$/],
    ['mumble', 'nonsense', /verdict.success: found nothing, allowed: true or false/],
    ['edge', 'nonsense', /verdict.outcome: found "edge", allowed: an outcome of the descriptor: heads, tails/],
    ['both', 'nonsense', /verdict.failures: found failures of a success/],
    ['neither', 'nonsense', /verdict.failures: found no failure, and no success either/],
    ['deep', 'nonsense', /found nesting deeper than 256 levels, allowed: what an event can hold/],
    ['spoil', 'lost', /^it rolled away$/],
  ])('an answer that makes it %s is spoilt, and no other', async (answer, kind, says) => {
    const environment = await opened(obedient, { limits: { replyMs: 200 } });
    const answers = [1, 2, 3, 4, answer, 5, 6, 7, 8];
    const verdicts = await listed(environment.judge(tries(answers)));
    expect(came(verdicts)).toEqual([1, 2, 3, 4, kind, 5, 6, 7, 8]);
    const spoilt = verdicts[4];
    expect(spoilt !== undefined && 'spoilt' in spoilt ? spoilt.spoilt.message : '').toMatch(says);
  });

  it('whichever answers are bad, each is spoilt in its own way and place', async () => {
    const kinds = new Map([
      ['die', 'crashed'],
      ['shout', 'nonsense'],
      ['refuse', 'refused'],
      ['mumble', 'nonsense'],
    ]);
    const answers = fc.array(fc.oneof({ weight: 8, arbitrary: fc.nat() }, fc.constantFrom(...kinds.keys())), {
      maxLength: 150,
    });
    const environment = await opened(obedient);
    await listed(environment.judge(tries([1])));
    await fc.assert(
      fc.asyncProperty(answers, async (answers) => {
        const verdicts = await listed(environment.judge(tries(answers)));
        expect(came(verdicts)).toEqual(answers.map((answer) => kinds.get(answer as string) ?? answer));
      }),
      { numRuns: 8 },
    );
  });

  it('bad answers one after the other are spoilt, where the program has shown that it works', async () => {
    const environment = await opened(obedient);
    const answers = [1, ...Array(8).fill('die'), ...Array(40).fill('refuse'), 2];
    const verdicts = await listed(environment.judge(tries(answers)));
    expect(came(verdicts)).toEqual([1, ...Array(8).fill('crashed'), ...Array(40).fill('refused'), 2]);
  });

  it('bad answers among good ones are spoilt, however many there are', async () => {
    const environment = await opened(obedient);
    const answers = Array.from({ length: 100 }, (_, i) => (i % 2 === 1 ? 'mumble' : i));
    const verdicts = await listed(environment.judge(tries(answers)));
    expect(came(verdicts)).toEqual(answers.map((answer) => (answer === 'mumble' ? 'nonsense' : answer)));
  });

  it.each([
    ['process.exit(5);', ProgramDied],
    ['while (true);', ProgramSilent],
    [`print('ready\\n');`, ProgramTalksNonsense],
    ['say({ request: r.request, verdict: {} });', ProgramTalksNonsense],
  ])('a program that judges no answer at all breaks the judging: %s', async (judge, fault) => {
    const environment = await opened(`judge(r) { ${judge} }`, { limits: { replyMs: 100 } });
    await expect(listed(environment.judge(tries([1, 2, 3, 4, 5])))).rejects.toThrow(fault);
  });

  it('a program that judges each answer on its own and ends is started for each', async () => {
    const environment = await opened(
      `judge(r) { say({ request: r.request, verdict: { ...heads, understood: r.answer } }); process.exit(0); }`,
    );
    const answers = Array.from({ length: 5 }, (_, i) => i);
    expect(came(await listed(environment.judge(tries(answers))))).toEqual(answers);
  });

  it('a program that reads nothing is not written to without end', async () => {
    const environment = await opened('judge(r) { process.stdin.pause(); while (true); }', { limits: { replyMs: 100 } });
    let taken = 0;
    function* endless(): Generator<Try> {
      for (;;) {
        taken += 1;
        yield { task, answer: 'x'.repeat(10_000) };
      }
    }
    await expect(listed(environment.judge(endless()))).rejects.toThrow(ProgramSilent);
    expect(taken).toBeLessThan(100);
  });

  it('many tries are judged in order, and one program is enough', async () => {
    const environment = await opened(obedient);
    const answers = Array.from({ length: 20_000 }, (_, i) => i);
    const verdicts = await listed(environment.judge(tries(answers)));
    expect(came(verdicts)).toEqual(answers);
    const pids = new Set(verdicts.map((verdict) => ('metrics' in verdict ? verdict.metrics['pid'] : null)));
    expect(pids.size).toBe(1);
    await environment.close();
    expect([...pids].map((pid) => isRunning(pid as number))).toEqual([false]);
  });
});
