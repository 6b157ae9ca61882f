// What a program may import from `icecore`: the workspace with all it can do, and errors. Importing it loads no store, no DuckDB and no
// catalogue. Ledgers below workspaces are `icecore/ledger`, the event catalogue is `icecore/schemas`, plugins are `icecore/plugins`.

import { testbed } from '../testbed/plugin.ts';
import { openWorkspace as openWith, type WorkspaceOptions } from './library/open.ts';
import type { Workspace } from './library/workspace.ts';

export { BadEventType, defineEvent, type OwnData, type OwnEvent } from '../schemas/define-event.ts';
export { type ErrorKind, errorKinds, IcecoreError, type Issue } from '../schemas/errors.ts';
export { StorageFailed } from './base/folders.ts';
export * from './ledger/errors.ts';
export type { WorkspaceOptions } from './library/open.ts';
export type { Notice } from './library/session.ts';
export { type SqlOptions, type SqlRow, UnexpectedRow } from './library/sql/rows.ts';
export type { CallOptions, Workspace } from './library/workspace.ts';

/** Finds the workspace. Nothing is opened or created before a method needs it. Beside your plugins there is the testbed. */
export async function openWorkspace({ plugins = [], ...options }: WorkspaceOptions = {}): Promise<Workspace> {
  return await openWith({ ...options, plugins: [testbed, ...plugins] });
}
