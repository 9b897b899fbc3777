import type { Column } from './output.ts';
import { type Paint, plain, type Style } from './terminal.ts';

const cells = 20;

/** A bar of a share. A share that is used at all has a mark, and one that is not full has a gap. Empty for an unknown share. */
export function barText(share: number | undefined, paint: Paint, style: Style): string {
  if (share === undefined) return '';
  const full = share >= 1 ? cells : Math.min(cells - 1, share > 0 ? Math.max(1, Math.round(share * cells)) : 0);
  return `${paint(style, '█'.repeat(full))}${paint('dim', '░'.repeat(cells - full))}`;
}

/** A column with a bar for each row, in proportion to the largest value. A row without a value has none. */
export function barColumn<T>(rows: readonly T[], lengthOf: (row: T) => number | null | undefined): Column<T> {
  const most = Math.max(0, ...rows.map((row) => lengthOf(row) ?? 0));
  return {
    title: '',
    isExtra: true,
    text: (row) => {
      const value = lengthOf(row) ?? undefined;
      return barText(value === undefined || most === 0 ? undefined : value / most, plain, 'green');
    },
  };
}
