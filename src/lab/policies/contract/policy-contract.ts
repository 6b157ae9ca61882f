// The contract every policy must keep, written once. A policy supplies a fixture: how to open it, and tasks it can plan
// for.
import { afterAll, beforeAll, describe } from 'vitest';
import type { Task } from '../../environments/environment.ts';
import type { Policy } from '../policy.ts';
import { ending } from './ending.ts';
import type { Bench, Fixture } from './fixture.ts';
import { flowing } from './flowing.ts';
import { planning } from './planning.ts';
import { telling } from './telling.ts';

export function policyContract(name: string, fixture: Fixture): void {
  describe(`the policy contract: ${name}`, () => {
    const opened: Policy[] = [];
    let tasks: readonly Task[] = [];
    const another = async (): Promise<Policy> => {
      const policy = await fixture.open();
      opened.push(policy);
      return policy;
    };
    const bench: Bench = {
      ...fixture,
      another,
      tasks: () => tasks,
      policy: () => {
        const [first] = opened;
        if (first === undefined) throw new Error('the policy is not ready');
        return first;
      },
    };

    beforeAll(async () => {
      tasks = await fixture.tasks();
      await another();
    });
    afterAll(async () => {
      for (const policy of opened) await policy.close();
    });

    for (const part of [telling, planning, flowing, ending]) part(bench);
  });
}
