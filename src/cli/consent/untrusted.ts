// What a found file, ledger or bundle asks for and this user has not allowed. Carries the consents that would allow it, so that a
// terminal can ask for them and the command can be run again.
import { IcecoreError } from '../../../schemas/errors.ts';
import type { Check } from '../../../schemas/output.ts';
import { shellWord } from '../../ledger/shell-word.ts';
import type { Consent } from './consents.ts';

export interface UntrustedOptions {
  /** What is asked for now, one line each, naming the file, the host, the variable or the program. */
  readonly requests: readonly string[];
  /** Everything that the consents would allow, where that is more. */
  readonly allowed?: readonly string[];
  /** Shown above them when a terminal asks. */
  readonly heading?: string;
  /** All of them together allow it. */
  readonly consents: readonly Consent[];
  /** What to type where no terminal can ask. */
  readonly commands: readonly string[];
  readonly facts?: Readonly<Record<string, unknown>>;
  /** Where no command alone allows it. */
  readonly remedy?: string;
  /** Where the requests are too long for one line: they are shown below it. */
  readonly message?: string;
}

export class Untrusted extends IcecoreError {
  override readonly name: string = 'Untrusted';
  readonly requests: readonly string[];
  readonly allowed: readonly string[];
  readonly heading: string | null;
  readonly consents: readonly Consent[];

  constructor({
    requests,
    allowed = requests,
    heading,
    consents,
    commands,
    facts = {},
    remedy = remedyOf(commands),
    message = `${requests.join('; ')}, and you have not allowed that`,
  }: UntrustedOptions) {
    super('untrusted', message, {
      facts: { requests, commands, ...facts },
      remedy,
    });
    this.requests = requests;
    this.allowed = allowed;
    this.heading = heading ?? null;
    this.consents = consents;
  }
}

function remedyOf(commands: readonly string[]): string {
  return `If you trust it: ${commands.join(' && ')}`;
}

/** The command that allows a host. */
export function commandForHost(host: string, withoutTls: boolean): string {
  return `icecore trust --host ${shellWord(host)}${withoutTls ? ' --without-tls' : ''}`;
}

/** The command that allows what a settings file or a workspace asks for. */
export function commandForPath(path: string): string {
  return `icecore trust ${shellWord(path)}`;
}

/** What doctor says of a service that it leaves alone. */
export function notAsked(name: string, { requests, remedy }: Untrusted): Check {
  return { name, status: 'warning', found: `not asked: ${requests.join('; ')}`, remedy };
}
