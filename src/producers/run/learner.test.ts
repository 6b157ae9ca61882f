import { describe, expect, it } from 'vitest';
import { registry } from '../../../testbed/testing/registry.ts';
import type { Environment } from '../../lab/environments/environment.ts';
import type { Models } from '../models/models.ts';
import { openLearner } from './learner.ts';

describe('a policy that the environment cannot play', () => {
  it('is an error that names the missing request and an example', async () => {
    const environment = { descriptor: { environment: 'parity' } } as unknown as Environment;
    const learning = {
      ...{ word: 'mine', environment, isProgram: true, registry, threads: 1, cwd: '/', seed: '1' },
      ...{ entries: new Map(), models: {} as Models },
    };
    await expect(openLearner(learning)).rejects.toMatchObject({
      message: 'the environment parity cannot play the policy "mine": it does not answer rollout',
      remedy:
        'Let the environment play it: answer rollout and list it in "understands", as the program in docs/environments.md does. Or name a model of the settings (none is configured).',
    });
  });
});
