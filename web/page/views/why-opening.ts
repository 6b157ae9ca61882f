// Whose evidence is unfolded, and which changes are shown: both are in the address of the view.
import type { Why, WhyChange } from '../../../schemas/why-output.ts';
import { type Route, replaceQuery } from '../router.ts';

/** By knob. */
export interface Opening {
  readonly isAll: boolean;
  isOpen(knob: string): boolean;
  set(knob: string, isOpen: boolean): void;
}

export function openingOf({ changes }: Why, route: Route): Opening {
  const shown = changes.filter((change) => isAsked(change, route.query.get('knob'))).map(({ knob }) => knob);
  const opened = route.query.getAll('open');
  const isAll = opened.includes('all') || (opened.length === 0 && shown.length <= mostOpen);
  const open = new Set(isAll ? [...shown, ...opened] : opened);
  return {
    isAll,
    isOpen: (knob) => open.has(knob),
    set: (knob, isOpen) => {
      const next = [...open].filter((one) => one !== 'all' && one !== 'none' && one !== knob);
      replaceQuery(route, { open: isOpen ? [...next, knob] : next.length === 0 ? 'none' : next });
    },
  };
}

/** With more changes, their evidence is folded at first. */
const mostOpen = 6;

/** Whether it is the knob, or a knob of the family; null: all are. */
export function isAsked({ knob, family }: WhyChange, asked: string | null): boolean {
  return asked === null || knob === asked || family === asked;
}
