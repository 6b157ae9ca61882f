// Elements as text, with all external text escaped.

type Attributes = Readonly<Record<string, string | number>>;

/** Children are markup: texts among them are already escaped. */
export function element(name: string, attributes: Attributes, ...children: readonly string[]): string {
  const words = Object.entries(attributes).map(([key, value]) => ` ${key}="${attributeText(value)}"`);
  const open = `<${name}${words.join('')}`;
  return children.length === 0 ? `${open}/>` : `${open}>${children.join('')}</${name}>`;
}

function attributeText(value: string | number): string {
  return typeof value === 'number' ? figure(value) : escaped(value);
}

/** Characters that XML does not allow become the replacement character. */
export function escaped(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** To a tenth: precise enough, and the same on every machine. */
export function figure(value: number): string {
  const tenths = Math.round(value * 10) / 10;
  return Object.is(tenths, -0) ? '0' : String(tenths);
}

/** Coordinates for a path, in their shortest form. */
export function figures(...values: readonly number[]): string {
  return values.map(figure).reduce((all, next) => `${all}${all === '' || next.startsWith('-') ? '' : ' '}${next}`, '');
}

// Light and dark colours and the style of a drawing. A page can override the variables; renderers without variables use the light
// colours.

interface Theme {
  readonly page: string;
  readonly ink: string;
  readonly soft: string;
  readonly ice: string;
  readonly water: string;
  readonly wave: string;
  readonly alarm: string;
  /** Letters on an agent. */
  readonly letter: string;
  /** Distinguishable for colour-blind readers; they repeat from the ninth agent on. */
  readonly agents: readonly string[];
}

const day: Theme = {
  page: '#ffffff',
  ink: '#16222e',
  soft: '#66788a',
  ice: '#e3eef7',
  water: '#1b4a6e',
  wave: '#6fb1dd',
  alarm: '#d0142c',
  letter: '#ffffff',
  agents: ['#1f4fe0', '#c06c00', '#84247a', '#00602a', '#e02a8c', '#0c84a8', '#7830cc', '#786c30'],
};

const night: Theme = {
  page: '#0e1721',
  ink: '#e6eef5',
  soft: '#8a9bab',
  ice: '#20354a',
  water: '#040b14',
  wave: '#2f6f9e',
  alarm: '#ff5d66',
  letter: '#0e1721',
  agents: ['#68a4f8', '#eda33a', '#fbb9f0', '#34e08c', '#fb6c9c', '#6cc4dc', '#b49cfc', '#fcd848'],
};

/** The class that sets an agent's colour as the current one. */
export function hueOf(agent: number): string {
  return `lake-hue${agent % day.agents.length}`;
}

const rules = `.lake{font-family:ui-sans-serif,system-ui,sans-serif}
.lake-page{fill:${day.page};fill:var(--page)}
.lake-ink{fill:${day.ink};fill:var(--ink)}
.lake-tick{fill:none;stroke:${day.ink};stroke:var(--ink);stroke-linejoin:round}
.lake-soft{fill:${day.soft};fill:var(--soft)}
.lake-ice{fill:${day.ice};stroke:${day.ice};fill:var(--ice);stroke:var(--ice);stroke-linejoin:round}
.lake-water{fill:${day.water};stroke:${day.water};fill:var(--water);stroke:var(--water);stroke-linejoin:round}
.lake-wave{fill:none;stroke:${day.wave};stroke:var(--wave);stroke-linecap:round}
.lake-body{fill:currentColor}
.lake-ring{fill:none;stroke:currentColor}
.lake-rim{stroke:${day.ice};stroke:var(--ice);stroke-dasharray:none}
.lake-letter{fill:${day.letter};fill:var(--letter);font-weight:700;text-anchor:middle}
.lake-goal{fill:currentColor;stroke:${day.ice};stroke:var(--ice);paint-order:stroke;font-weight:700;text-anchor:middle}
.lake-casing{fill:none;stroke:${day.ice};stroke:var(--ice)}
.lake-trail{fill:none;stroke:currentColor;stroke-linecap:round;stroke-linejoin:round}
.lake-ghost{opacity:.5}
.lake-tail{opacity:.5}
.lake-past{opacity:.3}
.lake-alarm{fill:${day.alarm};fill:var(--alarm)}
.lake-outline{fill:none;stroke:${day.alarm};stroke:var(--alarm)}
.lake-glow{fill:${day.alarm};fill:var(--alarm);opacity:.16}
.lake-cross{fill:none;stroke:${day.letter};stroke:var(--letter);stroke-linecap:round}`;

/** The style of a drawing with this number of agents. */
export function styleFor(agents: number): string {
  const hues = day.agents.slice(0, agents).map((colour, i) => `.lake-hue${i}{color:${colour};color:var(--hue${i})}`);
  const dark = `@media(prefers-color-scheme:dark){.lake{${variables(night, agents)}}}`;
  return [`.lake{${variables(day, agents)}}`, dark, rules, ...hues].join('\n');
}

function variables({ agents, ...colours }: Theme, count: number): string {
  const named = Object.entries(colours).map(([name, colour]) => `--${name}:${colour}`);
  return [...named, ...agents.slice(0, count).map((colour, i) => `--hue${i}:${colour}`)].join(';');
}
