// Everything the server can do, by name.
import { IcecoreError } from '../../schemas/errors.ts';
import type { ProjectResult } from '../../schemas/tables-output.ts';
import { follow, hasReached, page, requireKnown, runId } from './live-events.ts';
import type { Operation } from './operation.ts';
import type { Route } from './route.ts';
import { adopt, next } from './routes/decisions.ts';
import { ingest } from './routes/ingest.ts';
import { blob, event, events, head, proof } from './routes/ledger.ts';
import { ownerRoutes } from './routes/owner.ts';
import {
  ablation,
  ablations,
  audit,
  compare,
  context,
  diff,
  report,
  rollout,
  rollouts,
  runs,
  show,
  why,
} from './routes/runs.ts';
import {
  contexts,
  engineers,
  environments,
  recipes,
  refresh,
  sqlOfBody,
  sqlOfUrl,
  table,
  tables,
} from './routes/tables.ts';

/** In the order of the documentation. */
export const routes: readonly Route[] = [
  ...[runs, show, why, audit, rollouts, rollout, context, report, diff, compare, ablations, ablation],
  ...[next, adopt],
  ...[ingest, events, event, blob, head, proof],
  ...[sqlOfUrl, sqlOfBody, recipes, tables, table, refresh],
  ...[engineers, contexts, environments],
];

/** Refreshes the SQL tables whenever events are recorded. */
export const keepFresh: Operation<object, ProjectResult> = {
  name: 'keepFresh',
  thread: 'queries',
  async run(workspace, _, { signal, write }) {
    for await (const result of workspace.keepFresh({ signal })) await write(result);
  },
};

/** Throws if the ledger cannot be read. */
export const probe: Operation<object, true> = {
  name: 'probe',
  thread: 'events',
  async run(workspace, _, { signal, write }) {
    for await (const _event of workspace.events({ last: 1, limit: 1, signal })) break;
    await write(true);
  },
};

const named: ReadonlyMap<string, Operation<never, unknown>> = new Map(
  [...routes, ...ownerRoutes, follow, hasReached, page, runId, requireKnown, keepFresh, probe].map((operation) => [
    operation.name,
    operation,
  ]),
);

/** For a call that comes from another thread, which sends the parameters of this operation. */
export function operationNamed(name: string): Operation<unknown, unknown> {
  const found = named.get(name);
  if (found === undefined) throw new IcecoreError('internal', `there is no operation ${name}`);
  return found as Operation<unknown, unknown>;
}
