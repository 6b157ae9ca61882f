// Why a stage was set as it was: from each knob that was turned to the evidence it rests on, down to single rollouts, and on
// to what its family did then. Only decisions are read, and single events by their ids: what it costs does not grow with
// the number of rollouts.
import type { Decision, NoteRow } from '../../../schemas/run-output.ts';
import type { Why, WhyChange, WhyExemplar, WhyKept } from '../../../schemas/why-output.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { decisionFor } from '../../producers/history/decisions.ts';
import type { RunRead } from '../../producers/history/run-read.ts';
import type { StageHistory } from '../../producers/run/history.ts';
import { EventFinder } from '../../projections/finding.ts';
import { notesOf, unknownShown } from '../history/notes.ts';
import { stageRow } from '../history/stages.ts';
import { knobsMeant, type NamedKnob, stagesAbout } from './asked.ts';
import { byFamily, changeTold, type Deciding, keptTold, unchangedTold } from './changes.ts';
import { decisionTold, passedOver } from './decision.ts';
import { asDeepAs, type Depth } from './depth.ts';
import { Drawer } from './drawing.ts';
import { effectOn } from './effects.ts';
import { Events } from './events.ts';
import { exemplarSeen } from './exemplars.ts';
import { contextShown } from './shown.ts';
import { type TextOf, toldOf } from './told.ts';

export interface WhyOptions {
  /** A knob or a family; all, where it is missing. */
  readonly knob?: string | null;
  /** 4, where it is missing: down to the rollouts. */
  readonly depth?: Depth;
  /** Reads texts that are kept as blobs; without it, these count as not there. */
  readonly textOf?: TextOf;
  /** Without it, only what the ledger itself can find by id is found. */
  readonly finder?: EventFinder;
}

/** Throws NoSuchStage, UnknownKnob. */
export async function whyOf(ledger: Ledger, read: RunRead, stage: number, options: WhyOptions = {}): Promise<Why> {
  const { knob = null, depth = 4, textOf = inEvents, finder = new EventFinder(ledger) } = options;
  const { before, itself } = stagesAbout(read, stage);
  const meant = knob === null ? null : knobsMeant(knob, read, stage);
  const isMeant = (one: { readonly knob: string }): boolean =>
    meant === null || meant.some((known) => known.knob === one.knob);
  const events = new Events(finder);
  const decision = decisionFor(read, stage);
  const said = saidIn(read, before, decision);
  const context = await contextShown(read, events, said?.context ?? null);
  const citing: Deciding = { read, events, context, textOf, itself, said: said?.changes ?? [] };
  const turned = byFamily(decision.changes.filter(isMeant));
  const changes: WhyChange[] = [];
  for (const change of turned) changes.push(await changeTold(change, decision, citing));
  const kept: WhyKept[] = [];
  for (const one of decision.kept?.filter(isMeant) ?? []) kept.push(await keptTold(one, stage, citing));
  const families = familiesOf(read, [...turned, ...kept, ...(meant ?? [])]);
  const why: Why = {
    ledger: ledger.url,
    run: read.run,
    name: read.name,
    environment: read.descriptor?.environment ?? read.history.started?.data.environment?.name ?? null,
    stage,
    isBegun: itself !== null,
    isOver: itself !== null && itself.completed !== null,
    isShared: read.parent !== null && stage <= read.parent.stage,
    asked: knob,
    depth,
    decision: await decisionTold({ read, events, decision, before, context }),
    changes,
    turned: decision.changes.length,
    unchanged: notTurned(meant, decision).map((one) => unchangedTold(one, read, stage)),
    kept: decision.kept === null ? null : kept,
    effects: [null, ...families].map((family) => effectOn(family, { stage, before, itself })),
    alerts: alertsIn(read, [before, itself], meant === null ? null : families),
    exemplars: depth < 4 ? [] : await exemplarsOf([...changes, ...kept], citing),
    rejections: decision.rejections,
    errors: decision.errors,
    passedOver: passedOver({ decision, before }),
    notes: [],
    opaque: [],
  };
  const { notes, opaque } = await notesOf(ledger, read.run);
  const beside = { notes: notesOn(notes, why), opaque: unknownShown([...read.opaque, ...opaque]) };
  return asDeepAs(depth, { ...why, ...beside });
}

const inEvents: TextOf = async (text) => ('text' in text ? text.text : null);

/** What the decision says, or the proposal where nothing was decided. */
function saidIn(read: RunRead, before: StageHistory | null, { stage, proposal }: Decision) {
  return read.adoptions.get(stage)?.data ?? before?.proposals.find(({ id }) => id === proposal)?.data ?? null;
}

function notTurned(meant: readonly NamedKnob[] | null, { changes }: Decision): readonly NamedKnob[] {
  return (meant ?? []).filter(({ knob }) => !changes.some((one) => one.knob === knob));
}

/** In the order of the descriptor. */
function familiesOf({ descriptor }: RunRead, knobs: readonly Pick<NamedKnob, 'family'>[]): readonly string[] {
  const order = descriptor?.families.map(({ family }) => family) ?? [];
  const met = [...new Set(knobs.flatMap(({ family }) => family ?? []))];
  return [...order.filter((family) => met.includes(family)), ...met.filter((family) => !order.includes(family))];
}

/** Of these families, and what is of all of them; null: everything. */
function alertsIn(
  read: RunRead,
  stages: readonly (StageHistory | null)[],
  families: readonly string[] | null,
): Why['alerts'] {
  const raised = stages.flatMap((one) =>
    one === null ? [] : stageRow(read, one).alerts.map((alert) => ({ stage: one.stage, ...alert })),
  );
  return raised.filter(({ family }) => families === null || family === null || families.includes(family));
}

/** Each that something leads to, once. */
async function exemplarsOf(reasons: readonly Pick<WhyChange, 'evidence'>[], citing: Deciding): Promise<WhyExemplar[]> {
  const { read, events, context, textOf } = citing;
  if (context === null) return [];
  const drawer = new Drawer(read, textOf);
  try {
    const evidenceIds = new Set(reasons.flatMap(({ evidence }) => evidence.flatMap(({ exemplars }) => exemplars)));
    const seen: WhyExemplar[] = [];
    for (const evidenceId of evidenceIds) {
      const shown = context.data.evidenceIds[evidenceId];
      const told = shown === undefined ? null : await toldOf(evidenceId, shown, { read, events, context, textOf });
      if (told?.exemplar) seen.push(await exemplarSeen(told.exemplar, { events, textOf, drawer }));
    }
    return seen;
  } finally {
    await drawer.close();
  }
}

/** About the stage, its decision, or one of the knobs that are told of. */
function notesOn(all: readonly NoteRow[], { stage, changes, unchanged, decision, asked }: Why): Why['notes'] {
  const about = [decision.adopted, decision.proposal, decision.context?.event].flatMap((one) => one?.event ?? []);
  const knobs = [...changes, ...unchanged].map(({ knob }) => knob);
  const notes = all.filter((note) => {
    if (note.knob !== null && !knobs.includes(note.knob)) return false;
    if (note.about !== null && about.includes(note.about)) return true;
    return note.stage === stage && (note.knob !== null || asked === null);
  });
  return notes.map(({ event, at, actor, knob, says }) => ({ event, at, actor, knob, says }));
}
