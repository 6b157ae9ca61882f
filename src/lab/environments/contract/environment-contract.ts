// The contract every environment must keep, written once. An environment supplies a fixture: how to open it, and answers
// that are right and wrong. What it need not offer is held to the contract where it does.
import { afterAll, beforeAll, describe } from 'vitest';
import { entry } from '../../../base/entry.ts';
import type { Environment } from '../environment.ts';
import { configuring } from './configuring.ts';
import { describing } from './describing.ts';
import { ending } from './ending.ts';
import { type Bench, type Collected, collected, type Fixture } from './fixture.ts';
import { generating } from './generating.ts';
import { judging } from './judging.ts';
import { playing } from './playing.ts';
import { probing } from './probing.ts';
import { showing } from './showing.ts';
import { splitting } from './splitting.ts';

export function environmentContract(name: string, fixture: Fixture): void {
  describe(`the environment contract: ${name}`, () => {
    const opened: Environment[] = [];
    const another = async (): Promise<Environment> => {
      const environment = await fixture.open();
      opened.push(environment);
      return environment;
    };
    const first = (): Environment => {
      const [environment] = opened;
      if (environment === undefined) throw new Error('the environment is not ready');
      return environment;
    };
    const suites = new Map<string, Promise<Collected>>();
    const suite = (name: string): Promise<Collected> => entry(suites, name, () => collected(first().suite(name)));
    const bench: Bench = { ...fixture, another, environment: first, suite };

    beforeAll(another);
    afterAll(async () => {
      for (const environment of opened) await environment.close();
    });

    for (const part of [describing, configuring, generating, splitting, probing, judging, showing, playing, ending])
      part(bench);
  });
}
