// Modules that an engineer is shown and cannot use: what they would be worth, its arms do not tell.
import type { Ablated } from '../../../../schemas/ablation-output.ts';
import { listed } from '../../output/page/page.ts';

export const unusedMark = '°';

export function unusedWords({ arms }: Pick<Ablated, 'arms'>): readonly string[] {
  const byEngineer = Map.groupBy(
    arms.filter(({ notApplicable }) => notApplicable.length > 0),
    ({ engineer }) => engineer,
  );
  return Array.from(byEngineer, ([engineer, own]) => {
    const modules = [...new Set(own.flatMap(({ notApplicable }) => notApplicable))];
    return `${unusedMark} ${engineer} cannot use ${listed(modules)}: not applicable there.`;
  });
}
