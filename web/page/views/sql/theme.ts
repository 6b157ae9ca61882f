// The look of the editor in the colours of the page, which follow its light and dark theme.
import { EditorView } from 'codemirror';

const box = { backgroundColor: 'var(--page)', color: 'var(--ink)', border: '1px solid var(--series-rest)' };

export const editorTheme = EditorView.theme({
  '&': { ...box, borderRadius: '6px', fontSize: '14px', maxHeight: '24rem' },
  '&.cm-focused': { outline: '2px solid var(--link)', outlineOffset: '1px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55', minHeight: '9rem', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--ink)', padding: '8px 0' },
  '.cm-line': { padding: '0 10px' },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--ink)', borderLeftWidth: '2px' },
  '.cm-gutters': { backgroundColor: 'var(--panel)', color: 'var(--soft)', border: 'none', borderRadius: '6px 0 0 6px' },
  '.cm-placeholder': { color: 'var(--soft)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--link) 30%, transparent)',
  },
  '.cm-specialChar': { color: 'var(--alarm)' },
  '.cm-fault': { textDecoration: 'underline wavy var(--alarm)', textUnderlineOffset: '3px' },
  '.cm-fault-line': { backgroundColor: 'color-mix(in srgb, var(--alarm) 10%, transparent)' },
  '.cm-fault-message': {
    padding: '2px 10px 4px',
    color: 'var(--alarm)',
    fontFamily: 'ui-sans-serif, system-ui, sans-serif',
    fontSize: '13px',
    whiteSpace: 'pre-wrap',
  },
  '.cm-tooltip': { ...box, borderRadius: '6px', boxShadow: '0 6px 24px rgb(0 0 0 / 0.25)', zIndex: '30' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', fontSize: '13px', maxHeight: '16em' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '2px 8px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--link)',
    color: 'var(--page)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected] .cm-completionDetail': { color: 'var(--page)' },
  '.cm-completionDetail': { color: 'var(--soft)', fontStyle: 'normal', marginLeft: '1em' },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '700' },
  '.cm-tooltip.cm-completionInfo': {
    ...box,
    fontFamily: 'ui-sans-serif, system-ui, sans-serif',
    fontSize: '13px',
    lineHeight: '1.4',
    maxWidth: 'min(22rem, 80vw)',
    padding: '6px 10px',
  },
});
