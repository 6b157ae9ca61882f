import type { ViewProps } from '../shell.tsx';

export function Context({ route }: ViewProps) {
  return <h1>{route.of}</h1>;
}
