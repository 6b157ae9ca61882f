// The configuration of the first stage for ever: what redesign has to be better than.
import { blindEngineer } from './proposing.ts';

export const fixed = blindEngineer('fixed', 'the configuration of the first stage, for ever', ({ first }) => first);
