// A vitest reporter whose one line ends the output: what passed, failed and was skipped. It stands last in the list of
// reporters, so that a person, or a script that reads the last line, need not look further up.
import type { Reporter, SerializedError, TestCase, TestModule, TestSuite, Vitest } from 'vitest/node';

export default class ClosingLine implements Reporter {
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    this.#vitest?.logger.log(closingLine(modules, unhandled.length));
  }
}

// A file that does not load, a hook that throws and an error nobody caught fail the run without a failed test; counted
// here, the line never says "0 failed" of a run that failed.
function closingLine(modules: readonly TestModule[], unhandled: number): string {
  const tests = modules.flatMap((module) => [...module.children.allTests()]);
  const groups = modules.flatMap((module) => [module, ...module.children.allSuites()]);
  const passed = tests.filter((test) => stateOf(test) === 'passed').length;
  const skipped = tests.filter((test) => stateOf(test) === 'skipped').length;
  const failed = tests.length - passed - skipped + groups.filter(isBroken).length + unhandled;
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

function stateOf(test: TestCase): string {
  return test.result().state;
}

function isBroken(group: TestModule | TestSuite): boolean {
  return group.errors().length > 0;
}
