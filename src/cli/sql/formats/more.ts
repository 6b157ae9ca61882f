// What stands below rows that are not all.
import { counted } from '../../../base/quantity.ts';

export function moreRows(rows: number, more: string): string {
  return `${counted(rows, 'row')} shown, there are more: ${more}`;
}
