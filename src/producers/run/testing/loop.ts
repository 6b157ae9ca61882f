// The loop with every engineer, in any environment. Each continues from the first stage of one run, whose history they
// share.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunSettings } from '../../../../schemas/run-file.ts';
import { streamOf } from '../../../../schemas/streams.ts';
import { registry } from '../../../../testbed/testing/registry.ts';
import { rulesDescribed } from '../../../lab/engineers/registry.ts';
import { allowingAll } from '../../../lab/programs/testing/allowed.ts';
import { collect } from '../../../ledger/contract/fixture.ts';
import { readHistory } from '../../history/reading.ts';
import { stageRun } from '../../history/run-history.ts';
import type { RunEnd } from '../orchestrate.ts';
import { runTiny, type TinyPlace, tinyPlace, tinySettings } from './tiny.ts';

export const python = (script: string): string[] => ['python3', script];

/** A program that answers every question with this text. */
const saying = (text: string): string[] => [process.execPath, '-e', `process.stdout.write(${JSON.stringify(text)})`];

const engineers: readonly RunSettings['engineer'][] = [
  ...rulesDescribed.map(([name]) => name),
  ...['base', 'checkpoint', 'checkpoint@1'],
  python('examples/engineers/easier.py'),
];

export function everyEngineer(world: string, change: Partial<RunSettings> = {}): void {
  describe(`on ${world}`, () => {
    const parent = 'shared000000';
    const isLake = change.environment === undefined;
    let place: TinyPlace;
    let settings: RunSettings;
    let count = 0;

    beforeAll(async () => {
      place = await tinyPlace();
      const start = isLake ? {} : { configuration: await startOf() };
      settings = tinySettings({ ...change, ...start, engineer: 'fixed' });
      await runTiny(place, { run: parent, settings });
    }, 60_000);

    afterAll(async () => {
      await place.close();
    });

    /** The start of the arithmetic example. */
    async function startOf(): Promise<RunSettings['configuration']> {
      const { openEnvironment } = await import('../opening.ts');
      const environment = await openEnvironment(change.environment ?? 'lake', { allow: allowingAll(), registry });
      await environment.close();
      return { ...environment.start };
    }

    async function forked(engineer: RunSettings['engineer']): Promise<RunEnd> {
      const { stages } = await readHistory(place.ledger, parent);
      const { revision = 0, digest = '' } = stages[0]?.completed ?? {};
      const run = `fork0000000${count++}`;
      const shared = { run: parent, stage: 1, revision, digest };
      return await runTiny(place, { run, settings: { ...settings, engineer, name: run }, about: { parent: shared } });
    }

    it.each(engineers.map((engineer) => [engineer] as const))(
      '%s brings a run to its end',
      async (engineer) => {
        const { ended, history } = await forked(engineer);
        expect(ended).toBe('completed');
        expect(history.stages.map(({ stage }) => stage)).toEqual([1, 2]);
        const [first] = history.stages;
        expect(first?.rejections.map(({ data }) => data.issues)).toEqual([]);
        expect(first?.adopted?.data).toMatchObject({ by: 'engineer', proposal: first?.proposals[0]?.id });
        expect(first?.proposals[0]?.data.scores?.usable).toBe(1);
        // A policy that an environment runs has no greedy mode.
        const validated = first?.evaluations.find(({ data }) => data.suite.name === 'validation')?.data;
        expect(validated?.decoding).toEqual({ greedy: isLake });
      },
      30_000,
    );

    it.runIf(isLake)(
      'what a fork shares is nowhere twice',
      async () => {
        const { history } = await forked('fixed');
        const events = await collect(place.ledger.read(streamOf.run(history.run)));
        expect(events.filter((event) => stageRun(event) === 1).map(({ type }) => type)).toEqual([
          'ProposalRecorded',
          'ConfigAdopted',
        ]);
      },
      30_000,
    );

    it.runIf(isLake).each([
      ['nothing', '', 'empty'],
      ['no JSON', 'make it harder', 'unreadable'],
      ['no configuration', '{"configuration": "harder"}', 'invalid'],
    ])(
      'an answer with %s is rejected, and the run continues unchanged',
      async (_, text, reason) => {
        const { ended, history } = await forked(saying(text));
        expect(ended).toBe('completed');
        const [first, second] = history.stages;
        expect(first?.rejections[0]?.data).toMatchObject({ reason });
        expect(first?.adopted?.data).toMatchObject({ by: 'kept', proposal: null, changes: [] });
        expect(second?.started.data.configuration?.digest).toBe(first?.started.data.configuration?.digest);
      },
      30_000,
    );

    it.runIf(isLake)(
      'a person is waited for',
      async () => {
        const { ended, history } = await forked('human');
        expect(ended).toBe('waiting');
        expect(history.stages).toHaveLength(1);
        expect(history.stages[0]?.contexts).toHaveLength(1);
        expect(history.stages[0]?.adopted).toBeNull();
      },
      30_000,
    );
  });
}
