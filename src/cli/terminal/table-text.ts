// Tables for terminals: columns aligned for wide characters too, within the width of the terminal. Loaded when a table is printed.
import { type Paint, plain } from './terminal.ts';
import { clipped, widthOf } from './width.ts';

const gap = 2;
/** A column is left out before it gets narrower than this. */
const narrowest = 8;

export interface TableColumn {
  readonly title: string;
  /** Left out first. */
  readonly isExtra?: boolean | undefined;
}

/** A table, and the titles of the columns for which there is no room. A longer cell ends in an ellipsis. */
export function table(
  columns: readonly TableColumn[],
  rows: readonly (readonly string[])[],
  paint: Paint,
  width: number,
): { readonly text: string; readonly hidden: readonly string[] } {
  const wanted = columns.map(({ title }, at) => rows.reduce((most, row) => Math.max(most, widthOf(row[at] ?? '')), widthOf(title)));
  const places = placesOf(columns, wanted, width);
  const line = (cells: readonly string[], style: Paint): string =>
    places
      .map((place) => {
        const text = clipped((cells[place.at] ?? '').replaceAll('\n', ' '), place.width);
        return style('bold', text) + ' '.repeat(Math.max(0, place.width - widthOf(text)));
      })
      .join(' '.repeat(gap))
      .trimEnd();
  const head = line(
    columns.map(({ title }) => title),
    paint,
  );
  const text = [head, ...rows.map((row) => line(row, plain))].join('\n');
  return { text, hidden: columns.filter((_, at) => !places.some((place) => place.at === at)).map(({ title }) => title) };
}

/** The columns that have room, with their widths. Columns that are not extra give way last. */
function placesOf(columns: readonly TableColumn[], wanted: readonly number[], width: number): { readonly at: number; readonly width: number }[] {
  const places = [...columns.keys()];
  const isExtra = (at: number): boolean => columns[at]?.isExtra === true;
  const sum = (widthAt: (at: number) => number): number => places.reduce((all, at) => all + gap + widthAt(at), -gap);
  const want = (at: number): number => wanted[at] ?? 0;
  const least = (at: number): number => Math.min(narrowest, want(at));
  while (places.some(isExtra) && sum((at) => (isExtra(at) ? least(at) : want(at))) > width) places.splice(places.findLastIndex(isExtra), 1);
  while (places.length > 1 && sum(least) > width) places.pop();
  const giving = places.some(isExtra) ? places.filter(isExtra) : places;
  const room = width - sum((at) => (giving.includes(at) ? 0 : want(at)));
  const widths = shared(giving.map(want), room);
  return places.map((at) => ({ at, width: giving.includes(at) ? (widths[giving.indexOf(at)] ?? 0) : want(at) }));
}

/** Widths that fit into the room. The widest columns give way first. */
export function shared(wanted: readonly number[], room: number): number[] {
  let most = Math.min(room, Math.max(0, ...wanted));
  const given = (): number[] => wanted.map((width) => Math.min(width, most));
  while (most > 1 && given().reduce((sum, width) => sum + width, 0) > room) most--;
  return given();
}
