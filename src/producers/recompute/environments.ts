// The environments of runs, each opened once. A program named in a run was chosen by the author of the ledger, so it
// runs only if it is allowed.
import { canonicalJson } from '../../../schemas/canonical.ts';
import type { Descriptor } from '../../../schemas/environment.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import type { RunSettings } from '../../../schemas/run-file.ts';
import { commandIn } from '../../../schemas/run-file.ts';
import type { Environment } from '../../lab/environments/environment.ts';
import type { AllowProgram } from '../../lab/programs/program.ts';
import type { Registry } from '../../lab/registry.ts';
import { BadTrainerKnobs, withTrainerKnobs } from '../../lab/trainers/knobs.ts';
import { openEnvironment } from '../run/opening.ts';
import { trainerKnobsOf } from '../trainers/trainers.ts';

/** An environment, or why there is none. */
export type Opened = { readonly environment: Environment } | { readonly why: string };

/** What a run recorded of its environment and trainer. */
interface SettingsOfRun {
  readonly settings: Pick<RunSettings, 'environment' | 'trainer'>;
  readonly descriptor: Descriptor;
}

export interface EnvironmentsOptions {
  /** Null: no program may run. */
  readonly allow: AllowProgram | null;
  readonly registry: Registry;
  readonly signal: AbortSignal;
}

export class Environments {
  readonly #options: EnvironmentsOptions;
  readonly #opened = new Map<string, Promise<Opened>>();

  constructor(options: EnvironmentsOptions) {
    this.#options = options;
  }

  /** The environment of a run, if it is still the same version. */
  async of(named: RunSettings['environment'], descriptor: Descriptor): Promise<Opened> {
    const key = canonicalJson(named);
    const opened = this.#opened.get(key) ?? this.#open(named);
    this.#opened.set(key, opened);
    const found = await opened;
    if ('why' in found) return found;
    const [then, now] = [identity(descriptor), identity(found.environment.descriptor)];
    if (then === now) return found;
    return { why: `the environment has changed: it was ${then} and is now ${now}` };
  }

  /** The environment of a run with the knobs of its trainer. */
  async ofRun({ settings, descriptor }: SettingsOfRun): Promise<Opened> {
    const found = await this.of(settings.environment, descriptor);
    if ('why' in found) return found;
    try {
      const knobs = trainerKnobsOf(settings.trainer, this.#options.registry);
      return { environment: withTrainerKnobs(found.environment, knobs) };
    } catch (fault) {
      if (!(fault instanceof BadTrainerKnobs)) throw fault;
      return { why: fault.message };
    }
  }

  async close(): Promise<void> {
    for (const opened of this.#opened.values()) {
      const found = await opened;
      if ('environment' in found) await found.environment.close();
    }
  }

  async #open(named: RunSettings['environment']): Promise<Opened> {
    const { allow, registry, signal } = this.#options;
    const command = commandIn(named);
    if (command !== null && allow === null) {
      return { why: `the environment is a program named by the run, "${command.join(' ')}"; --programs runs it` };
    }
    try {
      return { environment: await openEnvironment(named, { allow: allow ?? noPrograms, registry }, signal) };
    } catch (fault) {
      if (signal.aborted || !(fault instanceof IcecoreError)) throw fault;
      return { why: `the environment cannot be opened: ${fault.message}` };
    }
  }
}

const noPrograms: AllowProgram = () => {
  throw new Error('no program may run here');
};

/** What must be equal so that verdicts can be compared. */
function identity({ environment, version }: Descriptor): string {
  return version === undefined ? environment : `${environment} ${version}`;
}
