// The answers that a page of one run brings along: the server's own, asked of its routes without a socket.
import { parseJson } from '../../../schemas/json-text.ts';
import type { Report } from '../../../schemas/report-output.ts';
import type { RunShown } from '../../../schemas/run-output.ts';
import type { Why } from '../../../schemas/why-output.ts';
import type { Workspace } from '../../library/workspace.ts';
import { createApp, usualLimits } from '../../server/app.ts';
import { LocalBackend } from '../../server/local-backend.ts';
import { Metrics } from '../../server/metrics.ts';

export interface SiteAnswers {
  /** By the path of the server. */
  readonly answers: Readonly<Record<string, unknown>>;
  readonly rollouts: number;
  /** Cited rollouts that there is no room for, or that cannot be read any more. */
  readonly missing: number;
}

interface SiteOptions {
  readonly report: Report;
  /** Include what is left out while a person decides. */
  readonly all: boolean;
  readonly signal: AbortSignal;
}

/** In characters of JSON: more takes a browser seconds to read. */
const mostOfRollouts = 30_000_000;

/** Everything that the views of a run ask for. */
export async function siteAnswers(workspace: Workspace, { report, all, signal }: SiteOptions): Promise<SiteAnswers> {
  const ask = asking(workspace, signal);
  const { run, name } = report.run;
  const answers: Record<string, unknown> = { '/site': { run, name } };
  const base = `/runs/${encodeURIComponent(name)}`;
  const put = (path: string, answer: unknown): void => {
    answers[path] = withoutPlace(answer, report.ledger.id);
  };
  const shown = await ask<RunShown>(`/runs/${run}${all ? '?all=true' : ''}`);
  put(base, shown);
  put(`${base}/report`, report);
  const cited = new Set(drawnIn(report));
  for (const { stage } of shown?.stages ?? []) {
    const at = encodeURIComponent(`@${stage}`);
    put(`${base}${at}`, await ask(`/runs/${run}@${stage}${all ? '?all=true' : ''}`));
    const why = await ask<Why>(`/runs/${run}@${stage}/why?detail=4`);
    put(`${base}${at}/why?detail=4`, why);
    for (const { rollout } of why?.exemplars ?? []) cited.add(rollout.event);
    if (why?.decision.context != null) put(`${base}${at}/context`, await ask(`/runs/${run}@${stage}/context`));
  }
  put(`${base}/why?detail=4`, await ask(`/runs/${run}/why?detail=4`));
  put(`${base}/audit`, await ask(`/runs/${run}/audit`));
  put('/contexts', await ask('/contexts'));
  const rollouts = await rolloutsOf([...cited], ask);
  for (const [event, rollout] of rollouts) put(`/rollouts/${event}`, rollout);
  const known = Object.entries(answers).filter(([, answer]) => answer !== null);
  return { answers: Object.fromEntries(known), rollouts: rollouts.size, missing: cited.size - rollouts.size };
}

/** The rollouts that a report draws. */
function drawnIn({ pictures, drawn, replay }: Report): readonly string[] {
  const ofReplay = replay === null ? [] : [replay.failed, replay.solved];
  return [...ofReplay, ...pictures.map(({ rollout }) => rollout), ...drawn.map(({ rollout }) => rollout)];
}

async function rolloutsOf(
  events: readonly string[],
  ask: ReturnType<typeof asking>,
): Promise<ReadonlyMap<string, unknown>> {
  const rollouts = new Map<string, unknown>();
  let size = 0;
  for (const event of events) {
    const rollout = await ask(`/rollouts/${event}`);
    if (rollout === null) continue;
    size += JSON.stringify(rollout).length;
    if (size > mostOfRollouts) break;
    rollouts.set(event, rollout);
  }
  return rollouts;
}

/** Null where the server has no answer: a stage that was not decided, an event that cannot be read. */
function asking(workspace: Workspace, signal: AbortSignal): <Answer>(path: string) => Promise<Answer | null> {
  const { hono } = createApp({
    ...{ backend: new LocalBackend(workspace), ledger: '', place: null, tokens: null, names: null, page: null },
    ...{ metrics: new Metrics(), log: () => {}, limits: usualLimits, draining: signal, stopped: signal },
  });
  return async <Answer>(path: string) => {
    const response = await hono.request(path);
    signal.throwIfAborted();
    if (!response.ok) return null;
    return parseJson(await response.text()) as Answer;
  };
}

/** A site is sent to others: as in a report, the place of the ledger is nobody's business. */
function withoutPlace(answer: unknown, ledger: string): unknown {
  const isNamed =
    typeof answer === 'object' && answer !== null && 'ledger' in answer && typeof answer.ledger === 'string';
  return isNamed ? { ...answer, ledger } : answer;
}
