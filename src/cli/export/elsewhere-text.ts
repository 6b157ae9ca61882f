// Checkpoints that a bundle cannot bring, in a line.
import { counted } from '../../base/quantity.ts';

const shown = 3;

/** Of one at least. */
export function elsewhereText(names: readonly string[]): string {
  const some = names.slice(0, shown).join(', ');
  const what = `${counted(names.length, 'checkpoint')} that ${names.length === 1 ? 'is' : 'are'} no file`;
  return `not in it: ${what}: ${some}${names.length > shown ? ', …' : ''}`;
}
