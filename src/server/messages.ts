// The messages between the server and a thread with a workspace.
import { IcecoreError } from '../../schemas/errors.ts';
import { parseJson } from '../../schemas/json-text.ts';
import { icecoreErrorOf } from '../library/faults.ts';
import type { ThreadName } from './operation.ts';

/** What a thread starts with. Its module opens a workspace with the plugins of this icecore. */
export interface ThreadData {
  readonly thread: ThreadName;
  /** The URL of a module that exports `openWorkspace`. */
  readonly opener: string;
  readonly options: {
    readonly cwd: string;
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly ledger?: string;
    readonly config?: false;
  };
}

export type ToThread =
  | {
      readonly kind: 'call';
      readonly id: number;
      readonly operation: string;
      readonly parameters: unknown;
      readonly hasInput: boolean;
    }
  /** The reader is ready for one more piece. */
  | { readonly kind: 'taken'; readonly id: number }
  | { readonly kind: 'stop'; readonly id: number; readonly reason: string }
  | { readonly kind: 'input'; readonly id: number; readonly bytes: Uint8Array }
  | { readonly kind: 'input-end'; readonly id: number; readonly fault: Fault | null }
  | { readonly kind: 'close' };

export type FromThread =
  | { readonly kind: 'piece'; readonly id: number; readonly piece: unknown }
  | { readonly kind: 'done'; readonly id: number; readonly fault: Fault | null }
  /** The operation reads its input. */
  | { readonly kind: 'more-input'; readonly id: number }
  | { readonly kind: 'note'; readonly text: string };

/** An error that can be sent. */
interface Fault {
  readonly kind: IcecoreError['kind'];
  readonly message: string;
  readonly facts: IcecoreError['facts'];
  readonly remedy: string;
  readonly stack: string | undefined;
}

export function faultOf(error: unknown): Fault {
  const { kind, message, facts, remedy, stack } = icecoreErrorOf(error);
  // Facts are made for JSON; what JSON cannot hold could not be sent either.
  return { kind, message, facts: parseJson(JSON.stringify(facts)) as Fault['facts'], remedy, stack };
}

export function errorOf({ kind, message, facts, remedy, stack }: Fault): IcecoreError {
  const error = new IcecoreError(kind, message, { facts, remedy });
  if (stack !== undefined) error.stack = stack;
  return error;
}
