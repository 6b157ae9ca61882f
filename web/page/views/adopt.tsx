import type { ViewProps } from '../shell.tsx';

export function Adopt({ route }: ViewProps) {
  return <h1>{route.of}</h1>;
}
