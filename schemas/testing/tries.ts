// The number of runs of property tests. `npm test` does a fifth of the runs of `npm run test:all` and the system tests, which
// finds most mistakes before a commit.

/** Whether there is time for all runs. */
export const isThorough: boolean = process.env['ICECORE_TEST_SYSTEM'] !== undefined;

/** `all` runs, or a fifth of them if time is short. */
export function tries(all: number): number {
  return isThorough ? all : Math.ceil(all / 5);
}
