// Modules that an engineer is shown and cannot use: what they would be worth, its arms do not tell.

import type { Ablated } from '../../../../schemas/ablation-output.ts';
import { listed } from '../../../base/listed.ts';

export const unusedMark = '°';

export function unusedWords({ arms }: Pick<Ablated, 'arms'>): readonly string[] {
  const byEngineer = Map.groupBy(
    arms.filter(({ notApplicable }) => notApplicable.length > 0),
    ({ engineer }) => engineer,
  );
  const engineers = Array.from(byEngineer, ([engineer, own]) => {
    return { engineer, modules: listed([...new Set(own.flatMap(({ notApplicable }) => notApplicable))]) };
  });
  const alike = Map.groupBy(engineers, ({ modules }) => modules);
  return Array.from(alike, ([modules, own]) => {
    const names = listed(own.map(({ engineer }) => engineer));
    return `${unusedMark} not applicable: ${modules}, which ${names} cannot use.`;
  });
}
