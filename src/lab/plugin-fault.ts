// Faults of plugins. They are not failures at a task: the run stops and can be resumed.
import { describeIssues, type Facts, IcecoreError, type Issue } from '../../schemas/errors.ts';

/** Thrown when code of a plugin throws, takes too long, or returns an invalid value. */
export class PluginFault extends IcecoreError {
  override readonly name = 'PluginFault';
  /** The call at fault: `judge`, `update`. */
  readonly call: string;
  /** Whether the call threw, rather than took too long or returned an invalid value. */
  readonly isThrown: boolean;

  private constructor(call: string, message: string, options: { facts: Facts; cause?: unknown; isThrown?: boolean }) {
    super('bad-input', message, {
      ...options,
      remedy: 'Fix it in the plugin. A run that it stopped can then be resumed.',
    });
    this.call = call;
    this.isThrown = options.isThrown ?? false;
  }

  /** A call of the plugin returned an invalid value. */
  static invalid(who: string, call: string, issues: readonly Issue[]): PluginFault {
    return new PluginFault(call, `${who}: ${call}: ${describeIssues(issues)}`, { facts: { who, call, issues } });
  }

  /** A call of the plugin threw. */
  static threw(who: string, call: string, cause: unknown): PluginFault {
    const message = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
    return new PluginFault(call, `${who}: ${call} threw ${message}`, { facts: { who, call }, cause, isThrown: true });
  }

  /** A call of the plugin took longer than its limit. */
  static timedOut(who: string, call: string, seconds: number): PluginFault {
    return new PluginFault(call, `${who}: ${call} did not come back within ${seconds} s`, {
      facts: { who, call, seconds },
    });
  }
}
