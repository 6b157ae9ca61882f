import { everyEngineer, python } from './testing/loop.ts';

everyEngineer('an environment that is a program, with a trainer that is one', {
  environment: python('examples/arithmetic/environment.py'),
  trainer: python('examples/arithmetic/trainer.py'),
  policy: 'pupil',
  budget: { 'agent-steps': 2000 },
});
