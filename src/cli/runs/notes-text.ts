// What people noted, a line each.
import type { NoteRow } from '../../../schemas/run-output.ts';
import type { Context } from '../context.ts';
import { moment } from '../events/forms.ts';
import { visible } from '../output/visible.ts';
import { section } from './section.ts';

export function notesText(context: Context, notes: readonly NoteRow[]): string {
  return section(
    context,
    'notes',
    notes.map((note) => visible(noteText(note))),
  );
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
