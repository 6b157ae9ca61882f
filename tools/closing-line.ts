// A vitest reporter whose last line counts passed, failed and skipped tests. It is the last reporter, so that people and scripts need only read the
// last line. Before it come failed tests and those that passed on retry. Scripts that sum several runs name a file in ICECORE_TEST_COUNTS, which
// gets the same as JSON.
import { writeFileSync } from 'node:fs';
import type { Reporter, SerializedError, TestCase, TestModule, TestSuite, Vitest } from 'vitest/node';

export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** The result of a test run, for a script that sums several. */
export interface TestOutcome {
  readonly counts: TestCounts;
  /** Failed tests, by file and name, each with its first line of error; and those that passed on retry. */
  readonly notes: readonly string[];
}

export default class ClosingLine implements Reporter {
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const outcome: TestOutcome = { counts: countsOf(modules, unhandled.length), notes: notesOn(modules) };
    const file = process.env['ICECORE_TEST_COUNTS'];
    if (file !== undefined) writeFileSync(file, JSON.stringify(outcome));
    this.#vitest?.logger.log([...outcome.notes, closingLine(outcome.counts)].join('\n'));
  }
}

export function closingLine({ passed, failed, skipped }: TestCounts): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

// A file that does not load, a hook that throws and an uncaught error fail the run without a failed test. Counting them here keeps the line from
// saying "0 failed" for a failed run.
function countsOf(modules: readonly TestModule[], unhandled: number): TestCounts {
  const tests = modules.flatMap((module) => [...module.children.allTests()]);
  const groups = modules.flatMap((module) => [module, ...module.children.allSuites()]);
  const passed = tests.filter((test) => stateOf(test) === 'passed').length;
  const skipped = tests.filter((test) => stateOf(test) === 'skipped').length;
  const failed = tests.length - passed - skipped + groups.filter(isBroken).length + unhandled;
  return { passed, failed, skipped };
}

function notesOn(modules: readonly TestModule[]): readonly string[] {
  return modules.flatMap((module) => [
    ...[module, ...module.children.allSuites()]
      .filter(isBroken)
      .map((group) => note('failed', module, group.type === 'suite' ? group.fullName : 'the file', group.errors())),
    ...[...module.children.allTests()].flatMap((test) => {
      const { state, errors } = test.result();
      if (state === 'failed') return [note('failed', module, test.fullName, errors)];
      return test.diagnostic()?.flaky === true ? [note('passed when tried again', module, test.fullName, errors)] : [];
    }),
  ]);
}

function note(
  what: string,
  { relativeModuleId }: TestModule,
  name: string,
  errors: readonly SerializedError[] = [],
): string {
  const [error] = errors;
  const message = error === undefined ? '' : `\n  ${(error.message.split('\n')[0] ?? '').slice(0, 300)}`;
  return `${what}: ${relativeModuleId} > ${name}${message}`;
}

function stateOf(test: TestCase): string {
  return test.result().state;
}

function isBroken(group: TestModule | TestSuite): boolean {
  return group.errors().length > 0;
}
