// A training that is stopped by Ctrl-C and resumed.
import { describe, expect, it } from 'vitest';
import { resultIn, stoppedOnceSaved, train, trainLines, workplace } from './testing/trainings.ts';

describe('icecore lake train', () => {
  it('resumes with the printed command, with the same result as without a stop', {
    timeout: 60_000,
  }, async () => {
    const long = ['--budget', '90_000', '--json'];
    const whole = resultIn(await train(workplace(), long));
    const cwd = workplace();
    const stopped = await stoppedOnceSaved((more) => train(cwd, long, more));
    expect(stopped.code).toBe(130);
    expect(stopped.stderr).toMatch(/stopped by SIGINT after update \d+; it was saved at update \d+\n/);
    const [, typed = ''] = /Continue with: .*lake train (.*)$/m.exec(stopped.stderr) ?? [];
    expect(typed).toMatch(/^--config config\.json --budget 90000 --output lake-training-[0-9a-f]{8}$/);
    const again = await train(cwd, [...typed.split(' ').slice(2), '--json']);
    const result = resultIn(again);
    expect(result.checkpoint?.digest).toBe(whole.checkpoint?.digest);
    expect(result.curve).toEqual(whole.curve);
    expect(trainLines(again).length).toBeLessThan(whole.curve.length + 1);
  });
});
