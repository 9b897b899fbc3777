import type { Paint, Style } from './terminal.ts';

const cells = 20;

/** A bar of a share. A share that is used at all has a mark, and one that is not full has a gap. Empty for an unknown share. */
export function barText(share: number | undefined, paint: Paint, style: Style): string {
  if (share === undefined) return '';
  const full = share >= 1 ? cells : Math.min(cells - 1, share > 0 ? Math.max(1, Math.round(share * cells)) : 0);
  return `${paint(style, '█'.repeat(full))}${paint('dim', '░'.repeat(cells - full))}`;
}
