import { render } from 'preact';
import { Shell } from './shell.tsx';

const root = document.getElementById('page');
if (root !== null) render(<Shell />, root);
