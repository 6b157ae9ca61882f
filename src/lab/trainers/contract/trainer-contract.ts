// The contract every trainer must keep, written once. A trainer supplies a fixture: how to open it, and something small
// to train.
import { describe, onTestFinished } from 'vitest';
import { ending } from './ending.ts';
import type { Bench, Fixture } from './fixture.ts';
import { resuming } from './resuming.ts';
import { telling } from './telling.ts';

export function trainerContract(name: string, { open, ...fixture }: Fixture): void {
  describe(`the trainer contract: ${name}`, () => {
    const bench: Bench = {
      ...fixture,
      trainer: async () => {
        const trainer = await open();
        onTestFinished(() => trainer.close());
        return trainer;
      },
    };
    for (const part of [telling, resuming, ending]) part(bench);
  });
}
