// icecore stage: the loop around a trainer that icecore does not start.
import type { CommandFamily } from '../command.ts';

const notes = `
For a shell script or a cluster job that trains by itself. icecore stage start prints what is to be trained as one line of
JSON, the same that a trainer is told on its standard input (docs/trainers.md); icecore stage finish takes what came of
it, measures, gathers evidence, asks the engineer and adopts, up to the next training. Both may be stopped and typed
again. examples/stage-loop.sh is a whole loop.
`;

export const command: CommandFamily = {
  notes,
  examples: [
    ['icecore stage start mine --stages 3 --engineer rules > stage.json', 'Begin a run, and say what to train first'],
    ['python3 train.py < stage.json > told.ndjson', 'Train, with whatever you like'],
    ['icecore stage finish mine --checkpoint out/final --curve told.ndjson', 'Hand in what came of it'],
  ],
  members: [
    {
      name: 'start',
      summary: 'Begin a stage, and print what is to be trained',
      load: () => import('./stage/start.ts'),
    },
    {
      name: 'finish',
      summary: 'Hand in what came of a training, and do all up to the next one',
      load: () => import('./stage/finish.ts'),
    },
  ],
};
