import type { ViewProps } from '../shell.tsx';

export function WhyView({ route }: ViewProps) {
  return <h1>{route.of}</h1>;
}
