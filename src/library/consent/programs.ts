// The gate that every program passes before it runs, and its environment. The user's own programs get all variables except
// icecore's secrets; programs named by a ledger get only what they need to run. `--env` adds variables to both.
import { IcecoreError } from '../../../schemas/errors.ts';
import { commandIn, nameIn, type RunFile, type RunSettings, runSettings } from '../../../schemas/run-file.ts';
import { realPathOf } from '../../base/real-path.ts';
import { shellLine, shellWord } from '../../base/shell-word.ts';
import { allowProgram } from '../../lab/programs/allow.ts';
import type { AllowedProgram, AllowProgram, CommandWords, ProgramRole } from '../../lab/programs/program.ts';
import { type Registry, trainableOn } from '../../lab/registry.ts';
import { variablesOfBlobs } from '../../ledger/blobs/open.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { filesOf, type LedgerUrl, mapPaths, parseLedgerUrl, textOf } from '../../ledger/stores.ts';
import { isPolicyPath, programsIn } from '../../producers/programs.ts';
import { labIn } from '../experiment/settings.ts';
import { blobsUrl } from '../opening/blobs.ts';
import { findConfig, modelsIn } from '../place/config.ts';
import type { Caller, Session, Surroundings } from '../session.ts';
import { type Consent, Consents, EnvironmentTrust, type ProgramConsent } from './consents.ts';
import { legible, Untrusted } from './gate.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Who chose a program: the user, or the author of the ledger. */
type Origin = 'own' | 'ledger';

const allowedNames: readonly string[] = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'PWD', 'TMPDIR', 'TMP', 'TEMP', 'TZ', 'TERM'],
  ...['LANG', 'LANGUAGE', 'LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH', 'VIRTUAL_ENV', 'CONDA_PREFIX', 'CONDA_DEFAULT_ENV'],
  ...['PYTHONPATH', 'PYTHONHOME', 'PYTHONUNBUFFERED', 'PYTHONDONTWRITEBYTECODE', 'PYTHONHASHSEED'],
  ...['MASTER_ADDR', 'MASTER_PORT', 'RANK', 'LOCAL_RANK', 'WORLD_SIZE', 'LOCAL_WORLD_SIZE'],
  ...['SystemRoot', 'SYSTEMROOT', 'PATHEXT', 'COMSPEC', 'USERPROFILE'],
];
const allowedPrefixes = ['LC_', 'CUDA_', 'NVIDIA_', 'NCCL_', 'ROCR_', 'HIP_', 'OMP_', 'MKL_', 'OPENBLAS_', 'SLURM_'];

/** A prefix alone allows no secret: `SLURM_JWT` is a key to the whole cluster. */
const secretName = /JWT|TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|_KEY$|APIKEY/i;

/** The environment of a program. `added`: variables that the user named with `--env`. */
function programEnvironment(
  environment: Environment,
  origin: Origin,
  secrets: ReadonlySet<string>,
  added: readonly string[],
): Readonly<Record<string, string>> {
  const passes = (name: string): boolean => {
    if (added.includes(name)) return true;
    if (isSecretOfIcecore(name, environment) || secrets.has(name)) return false;
    return origin === 'own' || isAllowed(name);
  };
  const passed = Object.entries(environment).filter(
    (pair): pair is [string, string] => pair[1] !== undefined && passes(pair[0]),
  );
  return Object.fromEntries(passed);
}

function isAllowed(name: string): boolean {
  if (allowedNames.includes(name)) return true;
  return allowedPrefixes.some((prefix) => name.startsWith(prefix)) && !secretName.test(name);
}

function isSecretOfIcecore(name: string, environment: Environment): boolean {
  if (!name.startsWith('ICECORE_')) return false;
  // A URL may contain a password.
  return secretName.test(name) || /:\/\/[^/\s]*@/.test(environment[name] ?? '');
}

/** The variables with the keys of this workspace's models and blobs. */
function secretVariables(caller: Caller): ReadonlySet<string> {
  const keys = [...modelsIn(findConfig(caller)).values()].flatMap(({ key }) => key ?? []);
  const { required, optional } = variablesOfBlobs(blobsUrl(caller));
  return new Set([...keys, ...required, ...optional]);
}

/** `--env A,B --env C`. */
function variableNames(typed: readonly string[] = []): readonly string[] {
  const names = typed.flatMap((text) => text.split(',')).map((name) => name.trim());
  const wrong = names.find((name) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name));
  if (wrong === undefined) return names;
  throw new IcecoreError('usage', `--env: found "${wrong}", allowed: names of environment variables`, {
    facts: { field: '--env', found: wrong },
    remedy: 'Name variables without their values: --env WANDB_API_KEY,HF_HOME',
  });
}

/** A checkpoint that settings name by its path needs the user's consent like a program. */
type NamedRole = ProgramRole | 'policy';

/** A program, or a policy file, that the settings of a run name. */
export interface NamedProgram {
  readonly role: NamedRole;
  /** The names of the runs that name it. */
  readonly runs: readonly string[];
  readonly command: CommandWords;
  /** The folder in which it would run. */
  readonly folder: string;
}

export interface ProgramOptions {
  /** Run programs that the ledger or a run file names without asking. They have the caller's permissions. */
  readonly programs?: boolean;
  /** Names of environment variables to pass to programs. */
  readonly env?: readonly string[];
}

/** The program or file in use. */
type Used = Pick<NamedProgram, 'role' | 'command'>;

/** The source of program names: a ledger by its identity and URL, or a run file by its real path. */
type ProgramSource = Pick<Ledger, 'id' | 'url'> | { readonly file: string };

export class ProgramGate {
  readonly #caller: Session;
  readonly #options: ProgramOptions;
  readonly #added: readonly string[];
  readonly #folder: string;
  /** By command line, and whether it is run or read. */
  readonly #origins = new Map<string, Origin>();
  readonly #own: Used[] = [];
  #secrets: ReadonlySet<string> | null = null;

  constructor(caller: Session, options: ProgramOptions) {
    this.#caller = caller;
    this.#options = options;
    this.#added = variableNames(options.env);
    this.#folder = realPathOf(caller.cwd);
  }

  /** Called before any program starts. Throws UntrustedPrograms. */
  readonly allow: AllowProgram = (role, command): AllowedProgram => {
    const origin = this.#origins.get(keyOf({ role, command }));
    if (origin === undefined) throw new UntrustedPrograms([this.#named(role, '', command)], this.#folder);
    return this.#allowed(command, origin);
  };

  /** Allows what the caller named in this call. Names that are not programs are ignored. */
  takeOwn(words: readonly unknown[]): void {
    for (const word of words) {
      const command = commandIn(word);
      if (command !== null) this.#addOwn({ role: 'environment', command });
    }
  }

  /** The same for a policy file, which is read and never executed. */
  takeOwnFile(path: string | undefined): void {
    if (path !== undefined) this.#addOwn({ role: 'policy', command: [path] });
  }

  #addOwn(used: Used): void {
    this.#own.push(used);
    this.#origins.set(keyOf(used), 'own');
  }

  /** Records what the caller named when starting a run, so that it resumes without a question. */
  remember(ledger: Pick<Ledger, 'id' | 'url'>): void {
    const consents = new Consents(this.#caller.env);
    for (const used of this.#own) consents.give(consentFor(ledger, { ...used, folder: this.#folder }, 'typed'));
  }

  /**
   * Requires that all of these programs may run. Called before anything runs or is appended. Throws UntrustedPrograms that
   * lists all programs without consent.
   */
  require(source: ProgramSource, named: readonly NamedProgram[]): void {
    const programs = distinct(named);
    const consents = new Consents(this.#caller.env);
    const isOpen = this.#options.programs === true || isTrustedByEnvironment(this.#caller, source);
    const refused: NamedProgram[] = [];
    for (const program of programs) {
      const key = keyOf(program);
      if (this.#origins.has(key)) continue;
      const given = consents.find(consentFor(source, program, allowedAs(source)));
      if (given !== null) this.#origins.set(key, isTyped(given) ? 'own' : 'ledger');
      else if (isOpen) this.#origins.set(key, allowedAs(source) === 'typed' ? 'own' : 'ledger');
      else refused.push(program);
    }
    if (refused.length > 0) throw new UntrustedPrograms(refused, this.#folder, source);
  }

  /**
   * The same for the programs that a run file names. Consent makes them the user's own, as if typed, because run files
   * are how users write down their experiments. Throws UntrustedPrograms.
   */
  async requireRunFile(path: string, file: RunFile): Promise<void> {
    const { registry } = await this.#caller.plugins.all();
    const { environment, trainer } = labIn(file, registry);
    const usual = registry.environments.get(nameIn(environment) ?? '')?.usual;
    const { name = '', policy = usual?.policy ?? 'policy', engineer = '' } = file;
    const named = await this.#namedIn({ name, environment, policy, trainer, engineer });
    this.require({ file: realPathOf(path) }, named);
    const own = new Set(this.#own.map(keyOf));
    this.#own.push(...named.filter((program) => !own.has(keyOf(program))));
  }

  /** The programs of a run, for `require`. `roles`: what the command starts. */
  async of(settings: RunSettings, roles: readonly NamedRole[]): Promise<readonly NamedProgram[]> {
    const named = await this.#namedIn(settings);
    return named.filter(({ role }) => roles.includes(role));
  }

  async #namedIn(settings: Named): Promise<readonly NamedProgram[]> {
    const { registry } = await this.#caller.plugins.all();
    const models = modelsIn(findConfig(this.#caller));
    return namedIn(settings, { folder: this.#folder, models, registry });
  }

  #named(role: NamedRole, run: string, command: CommandWords): NamedProgram {
    return { role, runs: run === '' ? [] : [run], command, folder: this.#folder };
  }

  #allowed(command: CommandWords, origin: Origin): AllowedProgram {
    this.#secrets ??= secretVariables(this.#caller);
    // A caller of `main` may leave out variables, such as PATH, that the process has.
    const whole = { ...process.env, ...this.#caller.env };
    return allowProgram({
      command,
      folder: this.#folder,
      environment: programEnvironment(whole, origin, this.#secrets, this.#added),
    });
  }
}

/** Programs that the user typed and that no ledger names: `icecore lake train -- python3 train.py`. */
export function allowTyped(caller: Session, command: readonly string[]): AllowProgram {
  const gate = new ProgramGate(caller, {});
  gate.takeOwn([command]);
  return gate.allow;
}

class UntrustedPrograms extends Untrusted {
  override readonly name = 'UntrustedPrograms';

  /** `source`: what names the programs. Without it, no command can allow them. */
  constructor(programs: readonly NamedProgram[], folder: string, source?: ProgramSource) {
    const isFile = programs.every(({ role }) => role === 'policy');
    const kind = isFile ? 'file' : 'program';
    const what = programs.length === 1 ? `a ${kind}` : `${programs.length} ${kind}s`;
    const lines = programs.map(programLine);
    const name = source !== undefined && 'file' in source ? source.file : 'the ledger';
    const commands = source !== undefined && 'url' in source ? [commandForPrograms(source.url)] : [];
    const rights = name === 'the ledger' ? 'your permissions' : 'your permissions and environment variables';
    super({
      message: `${name} names ${what} that you have not allowed in ${folder}`,
      requests: lines,
      heading: `${capitalised(name)} names programs or files to use in ${folder}, with ${rights}:`,
      consents: source === undefined ? [] : programs.map((program) => consentFor(source, program, allowedAs(source))),
      commands,
      facts: {
        programs: programs.map(({ role, runs, command }) => ({ role, runs, command, folder })),
        excerpt: lines.join('\n'),
      },
      remedy: `Read the command lines. To allow them: ${[...commands, 'the same command with --programs'].join(', or ')}. Programs run with ${rights}.`,
    });
  }
}

function capitalised(text: string): string {
  return text === 'the ledger' ? 'The ledger' : text;
}

/** The command that allows what a ledger names, in the folder where it is typed. */
export function commandForPrograms(url: string): string {
  return `icecore trust --ledger ${shellWord(url)}`;
}

/** Starts with the whole command as a shell would read it: run names are chosen by others and could push it out of sight. */
export function programLine({ role, runs, command }: NamedProgram): string {
  const label = role === 'policy' ? 'policy file' : role;
  return legible(`${label}: ${shellLine(command)}${namesOf(runs)}`);
}

const maxNames = 3;
const longestName = 40;

function namesOf(runs: readonly string[]): string {
  if (runs.length === 0) return '';
  const shown = runs.slice(0, maxNames).map((run) => JSON.stringify(shortened(run)));
  const more = runs.length > maxNames ? ` and ${runs.length - maxNames} more` : '';
  return ` (${runs.length === 1 ? 'run' : 'runs'} ${shown.join(', ')}${more})`;
}

/** Collapses blanks of any kind to one space. */
function shortened(name: string): string {
  const text = name.replaceAll(/\s+/gu, ' ').trim();
  return text.length > longestName ? `${text.slice(0, longestName)}...` : text;
}

type Named = Pick<RunSettings, 'name' | 'environment' | 'policy' | 'trainer' | 'engineer'>;

interface Around {
  readonly folder: string;
  readonly models: ReadonlyMap<string, unknown>;
  readonly registry: Registry;
}

/** Where policies with checkpoints are registered, a policy that is neither registered nor a model is a path. */
function namedIn(settings: Named, { folder, models, registry }: Around): readonly NamedProgram[] {
  const runs = settings.name === '' ? [] : [settings.name];
  const programs: readonly NamedProgram[] = programsIn(settings).map((program) => ({ ...program, runs, folder }));
  const { policy } = settings;
  const isName =
    policy === 'base' ||
    registry.policies.get(policy)?.checkpoints !== undefined ||
    models.has(policy) ||
    (!isPolicyPath(policy) && trainableOn(registry, nameIn(settings.environment) ?? '').length === 0);
  return isName ? programs : [...programs, { role: 'policy', runs, command: [policy], folder }];
}

/** All distinct programs that the runs of a ledger name, for a folder. */
export async function programsNamedBy(
  ledger: Ledger,
  surroundings: Surroundings & { readonly registry: Registry },
  models: ReadonlyMap<string, unknown> = modelsIn(findConfig(surroundings)),
): Promise<readonly NamedProgram[]> {
  const folder = realPathOf(surroundings.cwd);
  const found: NamedProgram[] = [];
  for await (const events of ledger.readAll({ types: ['RunStarted'] })) {
    for (const { reading } of events) {
      if (!reading.known || reading.type !== 'RunStarted') continue;
      const settings = runSettings.safeParse(reading.data.options);
      if (settings.success) found.push(...namedIn(settings.data, { folder, models, registry: surroundings.registry }));
    }
  }
  return distinct(found);
}

/** The consent that allows a program that a ledger or a run file names. */
export function consentFor(
  source: ProgramSource,
  { role, command, folder }: Pick<NamedProgram, 'role' | 'command' | 'folder'>,
  by: ProgramConsent['by'],
): ProgramConsent {
  const use = useOf(role);
  const named = 'file' in source ? { ledger: '', url: source.file } : { ledger: source.id, url: realUrl(source.url) };
  return { kind: 'program', ...named, use, command, folder: realPathOf(folder), by };
}

/** Consent to a run file counts as typed. */
function allowedAs(source: ProgramSource): ProgramConsent['by'] {
  return 'file' in source ? 'typed' : 'trusted';
}

/** Whether ICECORE_TRUST names the file, a folder that contains it, or the ledger's URL. */
function isTrustedByEnvironment(surroundings: Surroundings, source: ProgramSource): boolean {
  const standing = new EnvironmentTrust(surroundings);
  if (standing.everything) return true;
  if ('file' in source) return standing.coversPath(source.file);
  const { url } = source;
  const parsed = parseLedgerUrl(url);
  const [file] = parsed.scheme === 'split' ? [] : filesOf(parsed);
  return file === undefined ? standing.coversUrl(url) : standing.coversPath(realPathOf(file));
}

/** The real location of the ledger: a link to it is the same ledger, a copy is another. */
function realUrl(url: string): string {
  try {
    return textOf(withRealPaths(parseLedgerUrl(url)));
  } catch {
    return url;
  }
}

export function withRealPaths(url: LedgerUrl): LedgerUrl {
  return mapPaths(url, { file: realPathOf, certificates: (path) => path });
}

function distinct(programs: readonly NamedProgram[]): readonly NamedProgram[] {
  const byKey = new Map<string, NamedProgram>();
  for (const program of programs) {
    const key = JSON.stringify([program.role, program.folder, ...program.command]);
    const before = byKey.get(key);
    const runs = [...new Set([...(before?.runs ?? []), ...program.runs])];
    byKey.set(key, { ...program, runs });
  }
  return [...byKey.values()];
}

function isTyped(given: Consent): boolean {
  return given.kind === 'program' && given.by === 'typed';
}

function keyOf({ role, command }: Used): string {
  return JSON.stringify([useOf(role), ...command]);
}

function useOf(role: NamedRole): ProgramConsent['use'] {
  return role === 'policy' ? 'read' : 'run';
}
