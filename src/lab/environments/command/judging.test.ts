import { describe, expect, it } from 'vitest';
import { listed } from '../contract/tasks.ts';
import { came, obedient, tries } from './testing/judges.ts';
import { opened } from './testing/programs.ts';

describe('judging by a program', () => {
  it.each([
    ['die', 'crashed', /exit code 5 while it was asked to judge/],
    ['hang', 'timeout', /said nothing for 0.2 s while it was asked to judge, and was stopped/],
    ['shout', 'nonsense', /a line that is not JSON/],
    ['refuse', 'refused', /^no coin in sight$/],
    ['mumble', 'nonsense', /verdict.success: found nothing, allowed: true or false/],
    ['edge', 'nonsense', /verdict.outcome: found "edge", allowed: an outcome of the descriptor: heads, tails/],
    ['both', 'nonsense', /verdict.failures: found failures of a success/],
    ['neither', 'nonsense', /verdict.failures: found no failure, and no success either/],
    ['deep', 'nonsense', /found nesting deeper than 256 levels, allowed: what an event can hold/],
    ['spoil', 'lost', /^it rolled away$/],
  ])('marks only the answer that makes it %s as invalid', async (answer, kind, says) => {
    const environment = await opened(obedient, { limits: { replyMs: 200 } });
    const answers = [1, 2, 3, 4, answer, 5, 6, 7, 8];
    const verdicts = await listed(environment.judge(tries(answers)));
    expect(came(verdicts)).toEqual([1, 2, 3, 4, kind, 5, 6, 7, 8]);
    const spoilt = verdicts[4];
    expect(spoilt !== undefined && 'spoilt' in spoilt ? spoilt.spoilt.message : '').toMatch(says);
  });

  it('restarts a program that judges each answer alone and exits', async () => {
    const environment = await opened(
      `judge(r) { say({ request: r.request, verdict: { ...heads, understood: r.answer } }); process.exit(0); }`,
    );
    const answers = Array.from({ length: 5 }, (_, i) => i);
    expect(came(await listed(environment.judge(tries(answers))))).toEqual(answers);
  });
});
