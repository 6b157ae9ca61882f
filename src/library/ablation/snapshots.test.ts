// Checkpoints that are named as engineers but do not exist at the time of the decision.
import { expect, it } from 'vitest';
import { tinySettings } from '../../producers/run/testing/tiny.ts';
import { requireSnapshots } from './histories.ts';

const histories = [{ stages: [1, 2], settings: tinySettings({ stages: 4 }) }];

it('a checkpoint later than every decision is refused; at depth run, decisions continue to the last stage', () => {
  const program = ['python3', 'checkpoint@9'];
  expect(() => requireSnapshots(['checkpoint@2', 'rules', program], histories, 'train')).not.toThrow();
  expect(() => requireSnapshots(null, histories, 'train')).not.toThrow();
  expect(() => requireSnapshots(['checkpoint@3'], histories, 'propose')).toThrow(
    '--engineer: found checkpoint@3, allowed: up to checkpoint@2',
  );
  expect(() => requireSnapshots(['checkpoint@3'], histories, 'run')).not.toThrow();
  expect(() => requireSnapshots(['checkpoint@4'], histories, 'run')).toThrow(/up to checkpoint@3$/);
});
