import { describe, expect, it } from 'vitest';
import { noColours } from '../../../base/terminal.ts';
import { terminalText } from '../../../document/terminal.ts';
import { oneRunAsked, tenSeedsTrained } from '../testing/ablations.ts';
import { ablationAnswer } from './answer.ts';

const shown = (ablated: ReturnType<typeof oneRunAsked>): string =>
  terminalText(ablationAnswer(ablated), { isTTY: true, columns: 200, paint: noColours });

describe('the answer of an ablation that trained nothing', () => {
  const text = shown(oneRunAsked());

  it('explains its columns', () => {
    expect(text).toContain(
      'citation: citation score: changes that rest on evidence; higher is better. differ from actual: knobs with another value than in the actual decision.',
    );
    expect(shown(tenSeedsTrained())).not.toContain('differ from actual');
  });

  it('counts and compares no arm whose engineer cannot use its context', () => {
    const one = oneRunAsked();
    const text = shown({ ...one, arms: one.arms.filter(({ engineer, baseline }) => engineer === 'rules' || baseline) });
    expect(text).toMatch(/^rules\/stats +[-\d.]* +not applicable$/m);
    expect(text).toContain('not applicable: stats, which rules cannot use.');
    expect(text).toContain('(1 not applicable)');
  });
});
