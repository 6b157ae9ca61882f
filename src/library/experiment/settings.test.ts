import { expect, it } from 'vitest';
import { lake } from '../../../testbed/plugin.ts';
import { registryOf } from '../plugins/plugin.ts';
import { labIn } from './settings.ts';

it('a run uses the default trainer of its environment if none is named', () => {
  const pond = { ...lake, name: 'pond', usual: { trainer: 'drill' } };
  const registry = registryOf([{ name: 'acme', environments: [pond] }]);
  expect(labIn({ environment: 'pond' }, registry).trainer).toBe('drill');
  expect(labIn({ environment: 'pond', trainer: 'grpo' }, registry).trainer).toBe('grpo');
  expect(labIn({}, registry)).toEqual({ environment: 'lake', trainer: 'grpo' });
});
