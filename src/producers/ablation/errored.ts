// Errored arms: the recorded errors that still hold, and the arms that have one. The results of such an arm do not
// count anywhere, because they depend on when the error occurred.
import type { EventData } from '../../../schemas/catalogue.ts';
import type { IcecoreError } from '../../../schemas/errors.ts';
import { EvidenceMissing } from '../../ledger/errors.ts';
import { ContextTooSmall } from '../contexts/build.ts';
import { NothingToLeaveOut } from '../contexts/module.ts';
import { EngineerErrored } from '../proposals/asking.ts';
import { replayedIn, type Task } from './design.ts';
import type { Entry } from './journal.ts';
import { type AblationRecord, type ArmPlace, keyOf, type OfArm } from './record.ts';
import { ErasedText, NoDescriptor, SummaryMissing } from './summaries.ts';
import { indexOf, type Working } from './working.ts';

type Errored = OfArm<'ArmErrored'>;
export type TaskActivity = EventData['ArmErrored']['during'];

/** Unfinished arms and their errors. */
export type Unfinished = EventData['AblationCompleted']['unfinished'];

/** The first open error of each arm, ordered by unit and stage. */
export function erroredIn(record: AblationRecord): Unfinished {
  const { started, options } = record;
  const units = options?.units.map(({ unit }) => unit) ?? [];
  const placeOf = ({ place: { unit, stage } }: Errored): number => units.indexOf(unit ?? '') * stages + stage;
  const open = openErrors(record);
  return (started?.data.arms ?? []).flatMap(({ arm }) => {
    const own = open.filter(({ place }) => place.arm === arm);
    const [first] = own.toSorted((one, other) => placeOf(one) - placeOf(other));
    return first === undefined ? [] : [{ arm, reason: first.data.error.message }];
  });
}

/** More than any run has. */
const stages = 2 ** 14;

/** The last error at each place, if the task was not done since. */
export function openErrors(record: AblationRecord): readonly Errored[] {
  const last = new Map(record.errors.map((one) => [keyOf(one.place), one]));
  return [...last.values()].filter((one) => !isDoneSince(record, one));
}

function isDoneSince(record: AblationRecord, { place, revision, data }: Errored): boolean {
  const { proposals, rejections, trainings, evaluations } = record;
  const isSince = (one: { readonly revision: number } | undefined): boolean =>
    one !== undefined && one.revision > revision;
  const isTrained = (of: ArmPlace): boolean =>
    [trainings.get(keyOf(of)), ...(evaluations.get(keyOf(of)) ?? [])].some(isSince);
  const isDecided = (of: ArmPlace): boolean => isSince(proposals.get(keyOf(of))) || isSince(rejections.get(keyOf(of)));
  const next = { ...place, stage: place.stage + 1 };
  switch (data.during) {
    case 'propose':
      return isDecided(place);
    case 'train':
    case 'evaluate':
      return isTrained(next);
    case 'run':
      return isDecided(place) || isTrained(next);
  }
}

/** The event for an error of a task. */
export function erroredEntry(
  { design, journal }: Working,
  task: Task,
  during: TaskActivity,
  fault: IcecoreError,
): Extract<Entry, { type: 'ArmErrored' }> {
  const { arm, unit, stage } = task;
  const at = keyOf({ arm: arm.arm, unit: unit.unit, stage });
  const before = journal.record.errors.filter(({ place }) => keyOf(place) === at).length;
  return {
    type: 'ArmErrored',
    run: replayedIn(design, unit).run,
    stage,
    // The same error may occur repeatedly.
    index: before * design.arms.length * design.units.length + indexOf(design, task),
    actor: 'producer/ablation',
    data: { arm: arm.arm, unit: unit.unit, ...errorOf(task, fault), during, resumable: !isLasting(fault) },
  };
}

/** An error that follows from the history and the form alone occurs on every retry. */
function isLasting(fault: IcecoreError): boolean {
  const lasting = [SummaryMissing, NoDescriptor, EvidenceMissing, ContextTooSmall, NothingToLeaveOut, ErasedText];
  return lasting.some((one) => fault instanceof one);
}

/** The index for a decision that an arm's own run recorded as errored, distinct from errors of the ablation itself. */
export function keptIndex(index: number): number {
  return 2 ** 39 + index;
}

function errorOf({ arm }: Task, fault: IcecoreError): EventData['ProposalErrored'] {
  if (fault instanceof EngineerErrored) return fault.errored;
  const { kind, message } = fault;
  return { engineer: arm.identity, context: null, error: { kind, message }, raw: null };
}
