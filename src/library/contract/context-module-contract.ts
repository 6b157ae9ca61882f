// The contract of context modules: deterministic, and valid for any history.
import { describe, expect, it, vi } from 'vitest';
import type { Descriptor } from '../../../schemas/environment.ts';
import type { ContextHistory, HistoryStage } from '../../lab/context-modules.ts';
import type { Environment } from '../../lab/environments/environment.ts';
import type { EnvironmentEntry } from '../../lab/registry.ts';
import type { DefinedContextModule } from '../plugins/context-module.ts';
import { deepFreeze } from '../plugins/faults.ts';

/** What the suite needs to test a module. */
export interface ContextModuleFacts {
  /** An environment whose runs it describes. */
  readonly on: EnvironmentEntry;
  /** Histories in addition to those that the suite generates. */
  readonly histories?: readonly ContextHistory[];
}

/** Checks that the module describes any history and is deterministic. */
export function contextModuleContract(module: DefinedContextModule, { on, histories = [] }: ContextModuleFacts): void {
  const all = async (): Promise<readonly ContextHistory[]> => {
    const environment = await on.open({ knobs: [] });
    await environment.close();
    return [...historiesOf(environment), ...histories].map((history) => deepFreeze(structuredClone(history)));
  };

  describe(`the context module contract: ${module.name}`, () => {
    it('describes every history with items that can be shown and cited', async () => {
      for (const history of await all()) expect(await module.build(history)).toHaveProperty('items');
    });

    it('returns the same for the same history, at any time and with any random numbers', async () => {
      for (const history of await all()) {
        const first = await module.build(history);
        vi.useFakeTimers({ now: Date.UTC(2001, 1, 3), toFake: ['Date'] });
        const random = vi.spyOn(Math, 'random').mockReturnValue(0.123);
        try {
          expect(await module.build(history)).toEqual(first);
        } finally {
          random.mockRestore();
          vi.useRealTimers();
        }
      }
    });
  });
}

/** A history with an empty stage, one with one stage, and one with three in which every family improves or declines. */
function historiesOf({ descriptor, start }: Environment): readonly ContextHistory[] {
  const bare = { configuration: null, adopted: null, training: null, validation: null, summaries: [] };
  const whole = (count: number): ContextHistory => ({
    ...{ descriptor, stage: count, planned: 5, budget: { 'agent-steps': 1000 } },
    stages: Array.from({ length: count }, (_, i) => stageOf(descriptor, start, i + 1)),
  });
  return [{ descriptor, stage: 1, planned: null, budget: {}, stages: [{ ...bare, stage: 1 }] }, whole(1), whole(3)];
}

function stageOf({ families }: Descriptor, configuration: HistoryStage['configuration'], stage: number): HistoryStage {
  const rates = families.map(({ family }, i) => ({ family, value: ((i + stage) % 4) / 4 }));
  const mean = rates.reduce((sum, { value }) => sum + value, 0) / Math.max(1, rates.length);
  const idOf = (kind: number): string => `00000000-0000-4000-8000-${String(stage * 100 + kind).padStart(12, '0')}`;
  const summary = (module: string, kind: number): HistoryStage['summaries'][number] => ({
    id: idOf(kind),
    data: {
      ...{ module, exemplars: [], text: null },
      facts: rates.map(({ family, value }) => ({ evidenceId: `${module}-${family}`, family, measure: 'valid', value })),
    },
  });
  return {
    ...{ stage, configuration },
    adopted: { id: idOf(1), by: stage === 1 ? 'initial' : 'engineer' },
    training: { id: idOf(2), data: { budget: { 'agent-steps': 1000 }, spent: { 'agent-steps': 1000 } } },
    validation: {
      id: idOf(3),
      data: {
        ...{ suite: { name: 'validation' }, split: 'validation', rollouts: 100 },
        results: [
          { family: null, measure: 'valid', value: mean },
          ...rates.map((one) => ({ ...one, measure: 'valid' })),
        ],
      },
    },
    summaries: ['stats', 'behaviour', 'failures', 'training'].map((module, i) => summary(module, 10 + i)),
  };
}
