// The former names of what retry.ts holds, for the parts that still say them.
import { type Patience, retry } from './retry.ts';
import type { Stumble } from './stumble.ts';

export { type OnAway, type Patience, Waits } from './retry.ts';

type Patiently = <Result>(
  patience: Patience,
  attempt: () => Promise<Result>,
  givenUp: (last: Stumble) => Error,
) => Promise<Result>;

export const patiently = retry as Patiently;
