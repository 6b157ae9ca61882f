// The output of a benchmark: a table for people with targets, and one line of JSON for programs.

export interface Line {
  readonly what: string;
  readonly value: string;
  readonly target: string;
  /** Null without a target. */
  readonly met: boolean | null;
}

export interface Report {
  readonly title: string;
  readonly lines: readonly Line[];
  /** The same as data. */
  readonly data: Readonly<Record<string, unknown>>;
  /** The same as Markdown, for a page. */
  readonly markdown?: string;
}

export function print(report: Report): void {
  const rows = report.lines.map(({ what, value, target, met }) => [what, value, target, verdict(met)]);
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  console.log(`\n${report.title}`);
  for (const [what = '', value = '', target = '', met = ''] of rows) {
    const cells = [what.padEnd(widths[0] ?? 0), value.padStart(widths[1] ?? 0), target.padEnd(widths[2] ?? 0), met];
    console.log(`  ${cells.join('  ').trimEnd()}`);
  }
  console.log(JSON.stringify({ bench: report.title, ...report.data }));
  if (report.markdown !== undefined) console.log(`\n${report.markdown}`);
}

function verdict(met: boolean | null): string {
  if (met === null) return '';
  return met ? 'met' : 'missed';
}

export function ratioLine(what: string, ratio: number, atLeast: number): Line {
  return { what, value: ratio.toFixed(2), target: `at least ${atLeast}`, met: ratio >= atLeast };
}

/** Hardly affected by other programs on the machine. */
export function cpuRatioLine({ cpuRatio }: { readonly cpuRatio: number }): Line {
  return { what: 'ratio of processor time', value: cpuRatio.toFixed(2), target: '', met: null };
}

/** One table of all lines with a target. */
export function withTargets(title: string, reports: readonly Report[]): Report {
  const lines = reports.flatMap((report) =>
    report.lines.filter(({ met }) => met !== null).map((line) => ({ ...line, what: `${report.title}: ${line.what}` })),
  );
  return { title, lines, data: Object.fromEntries(lines.map(({ what, value, met }) => [what, { value, met }])) };
}

export function rateLine(what: string, perSecond: number): Line {
  return { what, value: `${Math.round(perSecond).toLocaleString('en')}/s`, target: '', met: null };
}
