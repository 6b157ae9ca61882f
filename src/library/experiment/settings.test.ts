import { expect, it } from 'vitest';
import { parity } from '../../../examples/parity.ts';
import { registryOf } from '../plugins/plugin.ts';
import { labIn } from './settings.ts';

it('the trainer that is usual on an environment counts where none is named', () => {
  const registry = registryOf([{ name: 'acme', environments: [{ ...parity, usual: { trainer: 'drill' } }] }]);
  expect(labIn({ environment: 'parity' }, registry).trainer).toBe('drill');
  expect(labIn({ environment: 'parity', trainer: 'grpo' }, registry).trainer).toBe('grpo');
  expect(labIn({}, registry)).toEqual({ environment: 'lake', trainer: 'grpo' });
});
