import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isRunning } from '../../programs/testing/running.ts';
import { listed } from '../contract/tasks.ts';
import type { Try } from '../environment.ts';
import { InvalidReply, ProgramDied, ProgramSilent } from './faults.ts';
import { came, obedient, tries } from './testing/judges.ts';
import { opened, task } from './testing/programs.ts';

describe('judging by a program', () => {
  it('marks each bad answer as invalid at its place, whichever answers are bad', async () => {
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

  it('tolerates bad answers in a row once the program has shown that it works', async () => {
    const environment = await opened(obedient);
    const answers = [1, ...Array(8).fill('die'), ...Array(40).fill('refuse'), 2];
    const verdicts = await listed(environment.judge(tries(answers)));
    expect(came(verdicts)).toEqual([1, ...Array(8).fill('crashed'), ...Array(40).fill('refused'), 2]);
  });

  it('tolerates any number of bad answers among good ones', async () => {
    const environment = await opened(obedient);
    const answers = Array.from({ length: 100 }, (_, i) => (i % 2 === 1 ? 'mumble' : i));
    const verdicts = await listed(environment.judge(tries(answers)));
    expect(came(verdicts)).toEqual(answers.map((answer) => (answer === 'mumble' ? 'nonsense' : answer)));
  });

  it.each([
    ['process.exit(5);', ProgramDied],
    ['while (true);', ProgramSilent],
    [`print('ready\\n');`, InvalidReply],
    ['say({ request: r.request, verdict: {} });', InvalidReply],
  ])('fails if the program judges no answer at all: %s', async (judge, fault) => {
    const environment = await opened(`judge(r) { ${judge} }`, { limits: { replyMs: 100 } });
    await expect(listed(environment.judge(tries([1, 2, 3, 4, 5])))).rejects.toThrow(fault);
  });

  it('sends a limited number of tries to a program that reads nothing', async () => {
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

  it('gives verdicts in order for many tries, with a single program', async () => {
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
