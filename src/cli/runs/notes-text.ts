// What people noted, a line each.
import type { NoteRow, UnknownEvent } from '../../../schemas/run-output.ts';
import type { Context } from '../context.ts';
import { moment } from '../events/forms.ts';
import { generic } from '../events/gist.ts';
import { visible } from '../output/visible.ts';
import { section } from './section.ts';

export function notesText(context: Context, notes: readonly NoteRow[]): string {
  return section(
    context,
    'notes',
    notes.map((note) => visible(noteText(note))),
  );
}

/** Events that only those who recorded them know: what they are, and the beginning of what they say. */
export function unknownText(context: Context, events: readonly UnknownEvent[]): string {
  return section(context, 'not known here', events.map(unknownLine));
}

export function unknownLine({ type, version, stream, revision, data }: UnknownEvent): string {
  const said = generic(data);
  return visible(`${type} version ${version}, ${stream}@${revision}${said === '' ? '' : `: ${said}`}`);
}

function noteText({ at, actor, stage, knob, about, tags, says }: NoteRow): string {
  const where = [
    ...(stage === null ? [] : [`stage ${stage}`]),
    ...(knob === null ? [] : [knob]),
    ...(about === null ? [] : [`event ${about}`]),
  ];
  const tagged = tags.length === 0 ? '' : ` (${tags.join(', ')})`;
  return `${moment(at)} ${actor}${where.length === 0 ? '' : `, on ${where.join(', ')}`}: ${says}${tagged}`;
}
