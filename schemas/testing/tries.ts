// How often properties are tried. `npm test` tries each a fifth as often as `ICECORE_TEST_SYSTEM=1 npm test`, which runs the system
// tests too: often enough to find most mistakes before a commit.

/** Whether there is time for all runs. */
export const isThorough: boolean = process.env['ICECORE_TEST_SYSTEM'] !== undefined;

/** `all` runs, or a fifth of them if time is short. */
export function tries(all: number): number {
  return isThorough ? all : Math.ceil(all / 5);
}
