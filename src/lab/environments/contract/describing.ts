// The contract: what an environment says about itself.
import { describe, expect, it } from 'vitest';
import { contradictions } from '../../../../schemas/contradictions.ts';
import { recordedConfiguration } from '../knobs.ts';
import { issuesOf } from './events.ts';
import type { Bench } from './fixture.ts';

export function describing(bench: Bench): void {
  describe('describing itself', () => {
    it('its descriptor does not contradict itself, and may stand in the event that starts a run', () => {
      const { descriptor, suites } = bench.environment();
      expect(contradictions(descriptor, 'descriptor')).toEqual([]);
      const told = suites.map(({ meaning, ...suite }) => suite);
      const data = { name: 'any', environment: { name: descriptor.environment }, descriptor, suites: told };
      expect(issuesOf('RunStarted', data)).toEqual([]);
    });

    it('the configuration to start with can be used, sets every knob, and may be adopted', () => {
      const { descriptor, start, check } = bench.environment();
      expect(check(start)).toEqual([]);
      const configuration = recordedConfiguration(descriptor, start);
      expect(configuration.knobs.map(({ knob }) => knob)).toEqual(descriptor.knobs.map(({ name }) => name));
      const nothing = {
        proposal: null,
        context: null,
        previous: null,
        changes: [],
        kept: null,
        clamps: [],
        rationale: null,
      };
      expect(issuesOf('ConfigAdopted', { by: 'initial', configuration, ...nothing })).toEqual([]);
    });

    it('each suite has a name of its own', () => {
      const names = bench.environment().suites.map(({ name }) => name);
      expect(new Set(names).size).toBe(names.length);
    });
  });
}
