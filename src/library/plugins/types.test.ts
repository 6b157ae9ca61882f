// Definitions of plugins infer the types of what their functions get. The compiler checks most of this file.
import { expect, it } from 'vitest';
import { z } from 'zod';
import {
  defineContextModule,
  defineEngineer,
  defineEnvironment,
  defineEvent,
  definePlugin,
  defineProjection,
  defineTrainer,
  type OwnData,
  registryOf,
  rowOf,
} from './index.ts';

const coins = defineEnvironment({
  ...{ name: 'coins', summary: 'heads or tails', families: { fair: 'one half' } },
  knobs: { sides: { meaning: 'sides', range: [2, 6], step: 1, integer: true } },
  settings: { noise: { meaning: 'noise', range: [0, 1], step: 0.1 } },
  start: { families: { fair: { share: 1, sides: 2 } }, noise: 0 },
  ...{ outcomes: { right: 'right', wrong: 'wrong' }, failureClasses: { wrong: 'another side' } },
  instance: z.strictObject({ side: z.int() }),
  answer: z.int(),
  generate: ({ knobs, settings, random }) => {
    // @ts-expect-error there is no such knob
    const none: unknown = knobs.edges;
    return none === settings.noise ? null : { side: random.below(knobs.sides) };
  },
  judge: ({ instance, answer }) => ({ outcome: answer === instance.side ? 'right' : 'wrong' }),
});

it('engineers, trainers and modules get the configurations of their environment', () => {
  const plugin = definePlugin({
    name: 'acme',
    environments: [coins],
    engineers: [
      defineEngineer({
        ...{ name: 'more', summary: 'one side more' },
        on: coins,
        propose: ({ current: { families, noise } }) => ({
          configuration: { families: { fair: { share: 1, sides: families.fair.sides + 1 } }, noise },
        }),
      }),
      defineEngineer({
        ...{ name: 'any', summary: 'of any environment' },
        propose: ({ current }) => ({ configuration: { ...current } }),
      }),
    ],
    trainers: [
      defineTrainer({
        ...{ name: 'flips', summary: 'flips', on: coins, state: z.number() },
        begin: () => 0,
        update: ({ state, configuration }) => ({ state: state + configuration.noise, agentSteps: 1, groups: [] }),
      }),
    ],
    contextModules: [
      defineContextModule({
        ...{ name: 'acme.noise', meaning: 'how noisy it was', on: coins },
        build: ({ stages }) => ({
          items: stages.flatMap(({ stage, configuration, adopted }) =>
            configuration === null || adopted === null
              ? []
              : [
                  {
                    id: `s${stage}`,
                    text: 'noise',
                    measure: 'noise',
                    value: configuration.noise,
                    events: [adopted.id],
                  },
                ],
          ),
        }),
      }),
    ],
  });
  expect(registryOf([plugin]).trainers.get('flips')?.environments).toEqual(['coins']);
  const less = { name: 'less', summary: 'without sides', on: coins };
  // @ts-expect-error a configuration has families
  defineEngineer({ ...less, propose: ({ current }) => ({ configuration: { noise: current.noise } }) });
  const flips = { name: 'words', summary: 'words', on: coins, state: z.number(), begin: () => 0 };
  // @ts-expect-error the state is a number
  defineTrainer({ ...flips, update: ({ state }) => ({ state: `${state}`, agentSteps: 1, groups: [] }) });
});

it('the data of an event and the fields of a table are typed', () => {
  const flipped = defineEvent({
    ...{ type: 'acme.Flipped', summary: 'A coin was flipped.' },
    data: z.object({ side: z.int(), by: z.object({ hand: z.string() }).optional() }),
  });
  const data: OwnData<typeof flipped> = { side: 1 };
  // @ts-expect-error a side is a number
  const wrong: OwnData<typeof flipped> = { side: 'one' };
  expect([data, wrong]).toHaveLength(2);
  const flips = defineProjection({
    ...{ table: 'acme_flips', summary: 'flips', from: flipped },
    columns: { side: {}, hand: { from: 'by.hand' }, text: { from: 'side', type: 'VARCHAR' } },
  });
  const row = {
    run: null,
    stage: 1,
    side: 1,
    hand: null,
    text: '1',
    happened_at: '2026-01-02T03:04:05.000',
    actor: 'a/b',
  };
  const read = rowOf(flips).parse({ ...row, id: 'x', stream: 'x-a', revision: 0, version: 1, run_id: null });
  const typed: [number | null, string | null, string | null, number | null] = [
    read.side,
    read.hand,
    read.text,
    read.stage,
  ];
  expect(typed).toEqual([1, null, '1', 1]);
  // @ts-expect-error a side is not a text
  const text: string | null = read.side;
  expect(text).toBe(1);
  const define = () =>
    defineProjection({
      ...{ table: 'acme_flips', summary: 'flips', from: flipped },
      // @ts-expect-error there is no such field
      columns: { hand: { from: 'by.foot' } },
    });
  expect(define).toThrow('columns.hand.from: found "by.foot"');
});

it('an engineer refuses another environment', async () => {
  const engineer = defineEngineer({
    ...{ name: 'more', summary: 'one side more', on: coins },
    propose: ({ current }) => ({ configuration: current }),
  });
  const registry = registryOf([definePlugin({ name: 'acme', engineers: [engineer] })]);
  const opened = await registry.engineers.get('more')?.open({});
  const request = { descriptor: { environment: 'lake' }, current: {}, first: {} };
  await expect(opened?.propose(request as never)).rejects.toThrow(
    'the engineer more of the plugin acme is for the environment coins, not lake',
  );
});
