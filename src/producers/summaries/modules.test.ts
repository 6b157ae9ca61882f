// The opening of a summary: its source, rollouts without a verdict, alerts.
import { expect, it } from 'vitest';
import { descriptor } from '../../../testbed/lake/configuration.ts';
import { sheetOf } from './modules.ts';
import { sheetText } from './sheet.ts';
import type { Fact, Summary } from './summary.ts';

const textOf = (module: string, summary: Partial<Summary>): string =>
  sheetText(sheetOf(descriptor, { module, facts: [], exemplars: [], ...summary }));

const modules = ['behaviour', 'failures'];

it.each(modules)('%s of a policy that always faults says that nothing could be judged', (module) => {
  const text = textOf(module, { rollouts: 0, parameters: { spoilt: { refusal: 2, timeout: 10 } } });
  expect(text).toContain('None could be judged: 12 of 12 were lost to refusal (2), timeout (10).');
  expect(text).not.toMatch(/None failed|By family/);
});

it.each(modules)('%s without rollouts says that nothing was tried', (module) => {
  expect(textOf(module, { rollouts: 0 })).toMatch(/Nothing was tried\.$/);
});

it('"none failed" only covers judged rollouts, and the others are mentioned', () => {
  expect(textOf('failures', { rollouts: 7 })).toMatch(/None failed\.$/);
  const text = textOf('failures', { rollouts: 7, parameters: { exemplars: 3, spoilt: { timeout: 5 } } });
  expect(text).toMatch(/Not counted: 5 that could not be judged, lost to timeout \(5\)\.\nNone failed\.$/);
});

const tried = (family: string, count: number, of: number, tasks: number): Fact[] => [
  { evidenceId: `B${family}.valid`, family, measure: 'valid', value: count / of, count, of, low: 0, high: 1 },
  { evidenceId: `B${family}.tried`, family, measure: 'tried', value: tasks },
];

it.each([
  [1, '24 tasks, each tried once.'],
  [2, '24 tasks, each tried twice.'],
  [3, '24 tasks, each tried 3 times.'],
])('behaviour says that tasks were tried %i times', (samples, words) => {
  const facts = ['3', '8'].flatMap((family) => tried(family, 6, 12 * samples, 12));
  expect(textOf('behaviour', { facts })).toContain(words);
});

it('behaviour gives the number of tries if it varies between tasks', () => {
  expect(textOf('behaviour', { facts: tried('8', 6, 23, 12) })).toContain('12 tasks, tried 23 times in total.');
});

it('an alert has no figures of another stage', () => {
  const alert = { family: '8', before: 0.9, now: 0.55 };
  const forgetting = textOf('behaviour', { alerts: [{ kind: 'forgetting', measure: 'valid', ...alert }] });
  expect(forgetting).toContain('Note: forgetting in family 8: fewer rollouts succeed than before.');
  const collapse = textOf('training', { alerts: [{ kind: 'signal-collapse', measure: 'signal', ...alert }] });
  expect(collapse).toContain('Note: the learning signal in family 8 collapsed');
  for (const text of [forgetting, collapse]) expect(text).not.toMatch(/90|55/);
});
