// A report in words: story first, then the charts, then what stands beside, how it was made and how to check it.
import type { Report } from '../../../../schemas/report-output.ts';
import { chartsOf } from '../../../../web/charts/charts.ts';
import type { ReportDocument, Section } from '../document.ts';
import { besideSections } from './beside.ts';
import { checkSection, madeSection } from './making.ts';
import { openingBlocks } from './opening.ts';
import { storySection } from './story.ts';
import { isBlind, momentWords } from './words.ts';

export function documentOf(report: Report): ReportDocument {
  const { run, by, as_of } = report;
  const form = isBlind(run) ? null : run.form;
  const subtitle = [run.environment, run.engineer, form].filter((word) => word !== null).join(' · ');
  return {
    run: run.run,
    title: run.name,
    subtitle,
    made: `Made by icecore ${by} on ${momentWords(as_of)} UTC from ledger ${report.ledger.id}.`,
    blocks: openingBlocks(report),
    sections: [
      storySection(report),
      ...chartsSection(report),
      ...besideSections(report),
      madeSection(report),
      checkSection(report),
    ],
  };
}

function chartsSection({ charts }: Report): readonly Section[] {
  const drawn = chartsOf(charts);
  if (drawn.length === 0) return [];
  return [{ id: 'charts', title: 'Charts', blocks: [{ kind: 'charts', charts: drawn }], sections: [] }];
}
