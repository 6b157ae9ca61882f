// Who may do what. A server without TLS asks nobody who they are and lets everybody do everything.
import type { Metadata } from '@grpc/grpc-js';
import { type Database, isMetastream } from './database.ts';
import { accessDenied, unauthenticated } from './refusals.ts';
import type { AclKey } from './stream-metadata.ts';

export interface User {
  readonly password: string;
  readonly groups: readonly string[];
}

export type Users = Readonly<Record<string, User>>;
type Action = 'read' | 'write' | 'delete';

const admins = '$admins';
const everybody = '$all';
const keys: Readonly<Record<Action, AclKey>> = { read: '$r', write: '$w', delete: '$d' };
const metadataKeys: Readonly<Record<Action, AclKey | null>> = { read: '$mr', write: '$mw', delete: null };

export class Access {
  readonly #users: Users | null;

  constructor(users: Users | null) {
    this.#users = users;
  }

  /** Throws a Refusal for who is not who it says. */
  authenticate(call: Metadata): void {
    if (this.#users !== null) rolesOf(this.#users, call);
  }

  /** Throws a Refusal. The stream of all events is `$all`. */
  require(action: Action, stream: string, database: Database, call: Metadata): void {
    if (this.#users === null) return;
    const roles = rolesOf(this.#users, call);
    if (roles.includes(admins)) return;
    const key = isMetastream(stream) ? metadataKeys[action] : keys[action];
    const about = isMetastream(stream) ? stream.slice(2) : stream;
    const allowed = key === null ? [] : (database.stream(about).metadata.acl[key] ?? [standard(about)]);
    if (!roles.some((role) => allowed.includes(role) || allowed.includes(everybody))) throw accessDenied();
  }
}

function standard(stream: string): string {
  return stream.startsWith('$') ? admins : everybody;
}

/** The name and the groups of who calls; none for who does not say, who may do nothing. */
function rolesOf(users: Users, call: Metadata): readonly string[] {
  const [header] = call.get('authorization');
  if (header === undefined) return [];
  const [name = '', password] = Buffer.from(`${header}`.replace(/^Basic /iu, ''), 'base64')
    .toString()
    .split(':');
  const user = users[name];
  if (user === undefined || user.password !== password) throw unauthenticated();
  return [name, ...user.groups];
}
